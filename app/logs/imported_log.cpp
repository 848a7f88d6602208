#include "app/logs/imported_log.hpp"

#include <fmt/format.h>

#include "engine/numbers/error.hpp"

namespace ringcast {

void fail_at(const LogFile& log, int line, std::string_view problem, std::string_view expected) {
  throw ScenarioError{fmt::format("{}:{}: {} (expected {})", log.name, line, problem, expected)};
}

void expect_plausible(const LogFile& log, int line, double micros) {
  constexpr double least = 1e-3;  // the resolution of logs
  constexpr double most = 1e12;   // eleven days
  if (!(micros >= least && micros <= most)) {
    fail_at(log, line, fmt::format("an all-reduce in {:.4g} us", micros), "0.001 us to 1e12 us");
  }
}

}  // namespace ringcast
