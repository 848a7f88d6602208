#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "topology/nccl/nccl_tuner.hpp"

namespace ringcast {

/// Latencies as NCCL's tuner has them, in us.
inline TransportProfile tuned_profile() {
  const auto entry = [](const char* algorithm, const char* name, double call, double nvlink,
                        double p2p, double network, double efficiency) {
    const auto us = [](double time) { return Seconds{time * 1e-6}; };
    return Protocol{algorithm,
                    name,
                    us(call),
                    {{PathKind::nvlink, us(nvlink)},
                     {PathKind::p2p, us(p2p)},
                     {PathKind::network, us(network)}},
                    efficiency};
  };
  TransportProfile profile;
  profile.tuner = Tuner::nccl;
  profile.protocols = {
      entry("ring", "LL", 6.6, 0.6, 1, 2.7, 0.5),
      entry("ring", "LL128", 14, 1.9, 2.5, 4, 0.92),
      entry("ring", "Simple", 8.4, 3.4, 5.7, 14, 1),
      entry("tree", "LL", 6.8, 0.6, 1, 5, 0.5),
      entry("tree", "LL128", 14, 1.25, 1.9, 8.5, 0.92),
      entry("tree", "Simple", 8.4, 4, 4, 14, 1),
      {"in-switch",
       "Simple",
       Seconds{8.4e-6},
       {{PathKind::nvlink, Seconds{16.6e-6}}, {PathKind::network, Seconds{14e-6}}}}};
  return profile;
}

inline NcclMachine eight_h100() {
  return {.nodes = 1,
          .ranks = 8,
          .gpus = {.generation = GpuGeneration::hopper},
          .nvlink = true,
          .switch_sums = true,
          .switch_link = BytesPerSecond{370e9},
          .in_node = BytesPerSecond{370e9},
          .between = {},
          .search = {.rings = 12}};
}

inline NcclMachine two_nodes_of_a100() {
  return {.nodes = 2,
          .ranks = 16,
          .nvlink = true,
          .in_node = BytesPerSecond{240e9},
          .between = BytesPerSecond{192e9},
          .search = {.rings = 8, .balanced_trees = true}};
}

inline NcclMachine h100_nodes(int nodes) {
  return {.nodes = nodes,
          .ranks = 8 * nodes,
          .gpus = {.generation = GpuGeneration::hopper},
          .in_node = BytesPerSecond{424e9},
          .between = BytesPerSecond{388e9},
          .search = {.rings = 8}};
}

/// One in each of two nodes.
inline NcclMachine two_lone_h100() {
  return {.nodes = 2,
          .ranks = 2,
          .gpus = {.generation = GpuGeneration::hopper},
          .in_node = BytesPerSecond{48e9},
          .between = BytesPerSecond{48e9},
          .search = {.rings = 2}};
}

/// Shards that are longer by an element, of 8 bytes at most, are cut into as many whole elements.
inline Bytes part_of_shard(Bytes shard, std::uint64_t parts) {
  const std::uint64_t part = (shard.count() + 8 + parts - 1) / parts;
  return Bytes{(part + 7) / 8 * 8};
}

inline NcclChoice first_choice(const NcclMachine& machine, Bytes buffer,
                               std::optional<std::string_view> algorithm = {}) {
  return nccl_choices(machine, tuned_profile(), buffer, algorithm).at(0);
}

inline NcclChoice simple_of(const NcclMachine& machine, Bytes buffer, std::string_view algorithm) {
  const auto choices = nccl_choices(machine, tuned_profile(), buffer, algorithm);
  return *std::ranges::find(choices, std::string{"Simple"},
                            [](const NcclChoice& each) { return each.protocol.name; });
}

/// Zero: the release does not have the protocol.
inline double estimate_of(const NcclMachine& machine, Bytes size, const std::string& protocol) {
  for (const NcclChoice& choice : nccl_choices(machine, tuned_profile(), size)) {
    if (choice.protocol.full_name() == protocol) return choice.estimate.count();
  }
  return 0;
}

}  // namespace ringcast
