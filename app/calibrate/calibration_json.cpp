#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/calibrate/calibration.hpp"
#include "engine/numbers/enum_names.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::json;

constexpr EnumNames<16> probe_names{
    "node ladder",    "node messages",    "node pairs",          "node both ways",
    "node passed",    "node reduced",     "node passed reduced", "node lent",
    "network ladder", "network messages", "network pairs",       "network both ways",
    "network orders", "network shared",   "network reduced",     "combined here"};

template <typename Kind>
Kind known(const std::optional<Kind>& found, std::string_view what, const std::string& name) {
  if (!found) throw ScenarioError{fmt::format("calibration: unknown {} {}", what, name)};
  return *found;
}

Json json_of(const ProbeSample& probed) {
  const PatternTimes& sample = probed.sample;
  Json json{{"probe", name_of(probed.probe)},
            {"kind", name_of(sample.pattern.kind)},
            {"size_bytes", sample.pattern.size.count()},
            {"messages", sample.pattern.messages},
            {"repetitions", sample.repetitions},
            {"flows", Json::array()}};
  for (std::size_t i = 0; i < sample.times.size(); ++i) {
    const Flow& flow = sample.pattern.flows[i];
    json["flows"].push_back({{"from", index_of(flow.from)},
                             {"to", index_of(flow.to)},
                             {"time_s", sample.times[i].count()}});
  }
  return json;
}

ProbeSample sample_of(const Json& json) {
  ProbeSample probed;
  const std::string probe = json.at("probe");
  const std::string kind = json.at("kind");
  probed.probe = known(enum_named<Probe>(probe_names, probe), "probe", probe);
  PatternTimes& sample = probed.sample;
  sample.pattern.kind = known(pattern_kind_named(kind), "pattern", kind);
  sample.pattern.size = Bytes{json.at("size_bytes").get<std::uint64_t>()};
  sample.pattern.messages = json.at("messages");
  sample.repetitions = json.at("repetitions");
  for (const Json& flow : json.at("flows")) {
    sample.pattern.flows.push_back(
        {Rank{flow.at("from").get<int>()}, Rank{flow.at("to").get<int>()}});
    sample.times.emplace_back(flow.at("time_s").get<double>());
  }
  return probed;
}

}  // namespace

std::string_view name_of(Probe probe) {
  return name_in(probe_names, probe);
}

std::string to_json(const Calibration& calibration) {
  Json json{{"hosts", calibration.hosts},
            {"node_of", calibration.node_of},
            {"cores", calibration.cores},
            {"samples", Json::array()}};
  for (const ProbeSample& sample : calibration.samples) {
    json["samples"].push_back(json_of(sample));
  }
  return json.dump();
}

Calibration calibration_from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    Calibration calibration{json.at("hosts"), json.at("node_of"), json.at("cores"), {}};
    calibration.samples.reserve(json.at("samples").size());
    for (const Json& sample : json.at("samples")) {
      calibration.samples.push_back(sample_of(sample));
    }
    return calibration;
  } catch (const Json::exception& error) {
    throw ScenarioError{fmt::format("calibration: {}", error.what())};
  }
}

}  // namespace ringcast
