#include "scenarios/reader/transport_reader.hpp"

#include <fmt/format.h>

#include "scenarios/reader/known_keys.hpp"
#include "scenarios/reader/yaml_reader.hpp"
#include "scenarios/scenario.hpp"

namespace ringcast {

namespace {

constexpr Seconds most_overhead{1.0};
// A rate outside is a slip of the unit, as for cables.
constexpr BytesPerSecond least_rate{1e3};
constexpr BytesPerSecond most_rate{1e15};

Seconds read_overhead(const InputNode& node) {
  const Seconds overhead = node.time();
  if (overhead > most_overhead) {
    node.fail(fmt::format("{} is out of range", printable(node.text())), "0 to 1 s");
  }
  return overhead;
}

BytesPerSecond read_reduce_rate(const InputNode& node) {
  const BytesPerSecond rate = node.rate();
  if (rate < least_rate || rate > most_rate) {
    node.fail(fmt::format("{} is out of range", printable(node.text())),
              "1 kB/s to 1000 TB/s, or no reduce_rate for a reduction that costs nothing");
  }
  return rate;
}

}  // namespace

TransportProfile read_transport(const InputNode& node) {
  node.allow_keys(keys_of("transport"));
  TransportProfile profile;
  profile.name = node.require("name", "a text").text();
  profile.source = node.require("source", "where the costs come from").text();
  if (const auto overhead = node.find("message_overhead")) {
    profile.message_overhead = read_overhead(*overhead);
  }
  if (const auto rate = node.find("reduce_rate")) profile.reduce_rate = read_reduce_rate(*rate);
  if (const auto fused = node.find("fused_reduction")) profile.fused_reduction = fused->truth();
  return profile;
}

TransportProfile read_transport(const std::filesystem::path& file) {
  return read_transport(read_yaml(file));
}

}  // namespace ringcast
