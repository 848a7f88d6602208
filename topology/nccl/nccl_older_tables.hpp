#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "topology/nccl/nccl_tables.hpp"

/// What NCCL's tuner expected from 2.8 to 2.22, where that differs from nccl_tables.hpp and the
/// profile: src/graph/tuning.cc of 2.8.3, 2.10.3, 2.17.1, 2.20.3, 2.22.3 and 2.24.3. A release
/// between two of these follows the older, but 2.18 and 2.19 follow 2.20: 2.18 brought NVLSTree,
/// and Amazon's plugin has 2.19.4's constants. Releases before 2.8 follow the newest here.
namespace ringcast::nccl_tables {

inline constexpr NcclVersion first_known{2, 8};
/// From here on trees of Simple are expected to take 4 us for a hop in a node and 14 between nodes.
inline constexpr NcclVersion first_quick_trees{2, 23};
/// From here on the latencies are those of the profile except for trees of Simple, no limit of the
/// bus bandwidth, and each hop of a ring takes at least the proxy's time.
inline constexpr NcclVersion first_newer_latencies{2, 18};
/// In these releases a ring has two more hops between nodes, in place of two within.
inline constexpr NcclVersion first_closed_rings{2, 17};
inline constexpr NcclVersion first_open_rings{2, 23};
/// LL128 has limits by generation, and trees of Ampere are faster.
inline constexpr NcclVersion first_faster_channels{2, 10};
/// LL128 on all GPUs from Volta on; before, on those of V100, A100, H100, B200 and RTX 50 only.
inline constexpr NcclVersion first_ll128_of_all{2, 28};

/// baseLat and hwLat: of the call, and of a hop over NVLink, over PCIe and between nodes; us.
struct OlderLatencies {
  std::string_view algorithm;
  std::string_view protocol;
  double call;
  double nvlink;
  double pcie;
  double network;
};
/// Before 2.18.
inline constexpr std::array<OlderLatencies, 6> first_latencies{{
    {"tree", "LL", 4.4, 0.52, 1.0, 5.0},
    {"tree", "LL128", 4.4, 1.25, 1.9, 8.5},
    {"tree", "Simple", 0, 28, 28, 28},
    {"ring", "LL", 3.6, 0.47, 1.0, 2.7},
    {"ring", "LL128", 10.0, 1.9, 2.5, 4.0},
    {"ring", "Simple", 8.4, 3.4, 5.7, 9.6},
}};
/// Since 2.18: what differs from the profile.
inline constexpr std::array<OlderLatencies, 1> slow_trees{{{"tree", "Simple", 0, 28, 28, 28}}};
/// Before 2.18, between nodes: the latency of LL's hops in a node.
inline constexpr double slower_ll = 1.8;
/// Before 2.18: the most bus bandwidth, by generation; GB/s.
inline constexpr std::array<double, 4> most_bus{1e9, 235, 370, 1e9};
/// Before 2.18, "plateau effect of ring": from 64 KiB for 16 ranks on.
inline constexpr double plateau_of_hopper = 1.5;
inline constexpr double plateau_of_others = 1.9;
/// Before 2.10.
inline constexpr double ll128_channel = 16.9;
inline constexpr PerNodes ampere_trees{24, 22.5, 16};

/// Whether the machine's release is one of these and older than `first`. Hosts of Amazon follow the
/// newest: on two P4d of 2021 and 2023, 8 bytes take 170 us, as trees do; rings would take 380.
[[nodiscard]] inline bool is_known_before(NcclVersion first, const NcclMachine& machine) {
  return !machine.rccl && machine.reported_latency == Seconds{0} && machine.version < first &&
         machine.version >= first_known;
}

/// The older latencies of a protocol; null where the profile's hold.
[[nodiscard]] inline const OlderLatencies* older_latencies(const Protocol& protocol,
                                                           const NcclMachine& machine) {
  const auto find = [&](const auto& table) -> const OlderLatencies* {
    const auto* const found = std::ranges::find_if(table, [&](const OlderLatencies& each) {
      return each.algorithm == protocol.algorithm && each.protocol == protocol.name;
    });
    return found == table.end() ? nullptr : found;
  };
  if (is_known_before(first_newer_latencies, machine)) return find(first_latencies);
  return is_known_before(first_quick_trees, machine) ? find(slow_trees) : nullptr;
}

}  // namespace ringcast::nccl_tables
