#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "topology/nccl/nccl_tuner.hpp"

/// The constants of NCCL's tuner (src/graph/tuning.cc, 2.2x) beside the latencies, which belong to
/// transport profiles.
namespace ringcast::nccl_tables {

// NCCL's release notes of 2.4.2, 2.5.6 and 2.18.1; NVIDIA/nccl#807 for 2.17.
inline constexpr NcclVersion first_tree{2, 4};
inline constexpr NcclVersion first_ll128{2, 5};
inline constexpr NcclVersion first_nvls{2, 17};
inline constexpr NcclVersion first_nvls_tree{2, 18};
/// From here on trees of Simple do not shorten their chunks (ROCm/rccl#1157).
inline constexpr NcclVersion first_whole_chunks{2, 20};

/// Values for one node, two, and more.
using PerNodes = std::array<double, 3>;
/// By generation; GB/s.
using PerGeneration = std::array<PerNodes, 4>;

[[nodiscard]] inline double at(const PerNodes& values, const NcclMachine& machine) {
  return values[static_cast<std::size_t>(std::min(machine.nodes, 3)) - 1] * 1e9;
}
[[nodiscard]] inline double at(const PerGeneration& table, const NcclMachine& machine) {
  return at(table[static_cast<std::size_t>(machine.generation)], machine);
}

// llMaxBws: LL on one node by generation; between nodes by the vendor of the CPU.
inline constexpr PerGeneration ll_limits{
    {{39, 39, 20.4}, {87.7, 39, 20.4}, {141, 39, 20.4}, {282, 39, 20.4}}};
inline constexpr PerNodes ll_limits_amd{87.7, 22.5, 19};
// perChMaxRingLL128Bws, perChMaxTreeLL128Bws, perChMaxTreeBws: of one channel.
inline constexpr PerGeneration ring_ll128{
    {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {40, 40, 40}}};
inline constexpr PerGeneration tree_ll128{
    {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}}};
inline constexpr PerGeneration tree_channel{
    {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}}};
// perChMaxNVLSTreeBws.
inline constexpr PerGeneration switch_channel{{{0, 0, 0}, {0, 0, 0}, {0, 57.7, 45.5}, {0, 96, 80}}};
// nvlsEfficiency.
inline constexpr std::array<double, 4> switch_efficiency{0, 0, 0.85, 0.74};
// getNetOverhead(); three times that for Simple.
[[nodiscard]] inline Seconds net_overhead(const NcclMachine& machine) {
  return Seconds{machine.amd ? 2e-6 : 1e-6};
}

// treeCorrectionFactor: what is left of a tree's bandwidth at 64 B, 128 B, ... 256 MiB.
struct TreeCorrection {
  std::string_view protocol;
  std::array<double, 23> factors;
};
inline constexpr std::array<TreeCorrection, 3> tree_corrections{{
    {"LL", {1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5,
            0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0, 1.0}},
    {"LL128", {1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6,
               0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9, 1.0, 1.0}},
    {"Simple", {0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5,
                0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9}},
}};

/// The place of a size among 64 B, 128 B, ..., from 1; 0 if it is less.
[[nodiscard]] inline std::size_t place_of(Bytes size) {
  return static_cast<std::size_t>(std::bit_width(size.count() >> 6U));
}

[[nodiscard]] inline double tree_correction(std::string_view protocol, Bytes size) {
  const auto* const row = std::ranges::find(tree_corrections, protocol, &TreeCorrection::protocol);
  const std::size_t step = place_of(size);
  return row == tree_corrections.end() || step == 0 || step > row->factors.size()
             ? 1
             : row->factors[step - 1];
}

}  // namespace ringcast::nccl_tables
