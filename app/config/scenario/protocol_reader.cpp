#include "app/config/scenario/protocol_reader.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "engine/collectives/allreduce_algorithms.hpp"

namespace ringcast {

Seconds read_cost(const InputNode& node) {
  constexpr Seconds most{1.0};
  return node.within(node.time(), Seconds{0}, most, "0 to 1 s");
}

void read_tuner(const InputNode& node, TransportProfile& profile) {
  const std::string name = node.text("nccl, nccl-2.18, rccl, or none");
  profile.tuner = name == "none" ? Tuner::none : name == "rccl" ? Tuner::rccl : Tuner::nccl;
  profile.nccl_version = newest_nccl;
  if (name == "none" || name == "nccl" || name == "rccl") return;
  const auto version = nccl_version_named(name);
  if (!version) {
    node.fail(fmt::format("unknown tuner {}", in_quotes(name)),
              fmt::format("none, nccl, rccl, or a release from {} to {}; nccl is the newest that "
                          "is known",
                          name_of(oldest_nccl), name_of(newest_nccl)));
  }
  profile.nccl_version = *version;
}

Protocol read_protocol(const InputNode& entry) {
  entry.allow_keys_of("protocols entry");
  Protocol read;
  const std::vector<std::string>& known = allreduce_names();
  const std::vector<std::string_view> algorithms{known.begin(), known.end()};
  read.algorithm = entry.require("algorithm", "an all-reduce").one_of("algorithm", algorithms);
  read.name = entry.require("name", "the protocol's name").text();
  if (const auto cost = entry.find("call_overhead")) read.call_overhead = read_cost(*cost);
  if (const auto part = entry.find("efficiency")) read.efficiency = part->percentage(0.1, 100);
  const InputNode latencies = entry.require("latencies", "a time for each kind of path");
  latencies.allow_keys_of("overheads");
  for (const PathKind kind : every_path_kind) {
    if (const auto found = latencies.find(key_of(kind))) read.latencies[kind] = read_cost(*found);
  }
  return read;
}

}  // namespace ringcast
