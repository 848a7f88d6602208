#include "scenarios/json_text.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "engine/error.hpp"

namespace ringcast {
double finite(double value, std::string_view key) {
  expect(std::isfinite(value), "{} is {} in a result", key, value);
  return value;
}

std::string to_json(const Provenance& provenance) {
  const nlohmann::ordered_json json = {{"program_version", provenance.program_version},
                                       {"scenario", provenance.scenario},
                                       {"scenario_file", provenance.scenario_file},
                                       {"scenario_sha256", provenance.scenario_sha256},
                                       {"cluster", provenance.cluster},
                                       {"backend", provenance.backend},
                                       {"host", provenance.host},
                                       {"started_at", provenance.started_at},
                                       {"simulated", provenance.simulated}};
  // A file's name may be any bytes; what is no UTF-8 in it must not cost the result.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace ringcast
