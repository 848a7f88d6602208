#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "topology/nccl/nccl_tuner.hpp"

/// The constants of NCCL's tuner (src/graph/tuning.cc), except the latencies, which are in
/// transport profiles.
namespace ringcast::nccl_tables {

// NCCL's release notes of 2.4.2, 2.5.6 and 2.18.1; NVIDIA/nccl#807 for 2.17.
inline constexpr NcclVersion first_tree{2, 4};
inline constexpr NcclVersion first_ll128{2, 5};
inline constexpr NcclVersion first_nvls{2, 17};
inline constexpr NcclVersion first_nvls_tree{2, 18};
/// From here on some threads of a tree's channel reduce while others broadcast; before, all did one
/// after the other, with Simple and LL (src/collectives/device/all_reduce.h of 2.8, 2.9 and 2.10).
inline constexpr NcclVersion first_split_trees{2, 10};
/// From here on trees of Simple do not shorten their chunks (ROCm/rccl#1157).
inline constexpr NcclVersion first_whole_chunks{2, 20};
// The following come from comparing src/graph/tuning.cc and src/enqueue.cc of 2.20.3, 2.26.2,
// 2.27.3, 2.28.3 and 2.30, and from what the library of 2.28.9 does (tests/nccl); a release between
// two of these follows the older, and one before them all the oldest but for what
// nccl_older_tables.hpp has. 2.21 is that of RCCL's copy; 2.23 is the first of NCCL's that was seen
// with it in logs.
/// LL is expected at half the bandwidth, at most 141 GB/s on Hopper; before at a quarter and 87.7.
inline constexpr NcclVersion first_fast_ll{2, 21};
/// From here on the latency that the network's plugin reports replaces hwLat of rings and trees
/// (NVIDIA/nccl#625; seen in 2.17), and from here on it is added to that of all algorithms (seen in
/// 2.20; RCCL's copy of 2.18 still replaces).
inline constexpr NcclVersion first_reported_latency{2, 12};
inline constexpr NcclVersion first_added_latency{2, 20};
/// Between nodes of one rank LL128 is expected at 0.92 of the bandwidth, 0.7 before, and a ring
/// waits as long for the network as a tree.
inline constexpr NcclVersion first_exposed_latency{2, 23};
/// LL128 between GPUs of several generations, none older than Hopper (not in 2.28,
/// ncclTopoTuneModel(), but in 2.30).
inline constexpr NcclVersion first_mixed_ll128{2, 29};
/// Two GPUs over PCIe are slower (seen in 2.25 to 2.31, not in 2.20).
inline constexpr NcclVersion first_slow_peers{2, 25};
/// A channel has at least 16 KiB of traffic, then 32 KiB; before, 512 bytes, which has no effect.
inline constexpr NcclVersion first_least_traffic{2, 26};
inline constexpr NcclVersion first_more_traffic{2, 29};
/// In-switch sums have an efficiency and, between nodes, a limit for each channel, and a level
/// between nodes costs 20.9 us, 14 before (2.28.9).
inline constexpr NcclVersion first_switch_limits{2, 28};
/// Rings and trees have no more channels because in-switch sums do (seen in 2.28.9).
inline constexpr NcclVersion first_own_switch_channels{2, 28};
/// In-switch sums need two GPUs of a node, three before (ncclNvlsInit() in src/transport/nvls.cc of
/// 2.28.9 and of older releases).
inline constexpr NcclVersion first_sums_of_two{2, 28};
/// Blackwell has limits of its own for trees: twice those of Hopper before.
inline constexpr NcclVersion first_blackwell_trees{2, 28};
/// Blackwell has limits of its own for rings of LL128 and for in-switch sums, which between nodes
/// are corrected as trees are, and whose channels and chunks follow the NICs.
inline constexpr NcclVersion first_blackwell{2, 30};
/// Rings of Simple that are together no faster than PCIe 3.0 no longer have half of the threads
/// (src/tuning/tuning_general.cc).
inline constexpr NcclVersion first_full_threads{2, 31};
/// The plateau of rings within a node of Blackwell, and more rates in the search (2.32.3).
inline constexpr NcclVersion first_plateau_within{2, 32};
inline constexpr NcclVersion first_more_rates{2, 32};

/// The most heads of in-switch sums, NCCL_MAX_NVLS_ARITY (src/include/device.h).
inline constexpr int most_heads = 32;

/// Values for one node, two, and more.
using PerNodes = std::array<double, 3>;
/// By generation; GB/s.
using PerGeneration = std::array<PerNodes, 4>;

[[nodiscard]] inline double at(const PerNodes& values, const NcclMachine& machine) {
  return values[static_cast<std::size_t>(std::min(machine.nodes, 3)) - 1] * 1e9;
}
[[nodiscard]] inline double at(const PerGeneration& table, const NcclMachine& machine) {
  return at(table[static_cast<std::size_t>(machine.gpus.generation)], machine);
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
// The same of Blackwell in older releases.
inline constexpr PerNodes ring_ll128_of_older{73.4, 73.4, 73.4};
inline constexpr PerNodes tree_ll128_of_older{73.4, 73.4, 58};
inline constexpr PerNodes tree_channel_of_older{77.4, 82.8, 72};
inline constexpr PerNodes switch_channel_of_older{0, 96, 43.8};
// perChMaxNVLSTreeBws.
inline constexpr PerGeneration switch_channel{{{0, 0, 0}, {0, 0, 0}, {0, 57.7, 45.5}, {0, 96, 80}}};
// nvlsEfficiency.
inline constexpr std::array<double, 4> switch_efficiency{0, 0, 0.85, 0.74};
// The share of a ring's bandwidth that LL has, and its limit on one node of Hopper, before 2.21.
inline constexpr double slow_ll = 0.5;  // of its efficiency
inline constexpr double slow_ll_limit_hopper = 87.7e9;
// hwLat of NVLSTree on the network before 2.28.
inline constexpr Seconds network_of_older_switches{14e-6};

/// The latency of a hop within a node, for rings of LL128 through several nodes: the tuner's hwLat
/// of a hop over InfiniBand. It reproduces the published times of rings on A100 and H100. With it,
/// rings and trees of 4, 8 and 16 P5 over EFA take equal times, within 4 %, at the sizes where
/// AWS's tuner changes between them (aws_tuner.hpp), two P5 within 12 %, though EFA's latency is 10
/// to 20 us.
inline constexpr Seconds ring_ll128_hop{4e-6};
// getNetOverhead(); three times that for Simple.
[[nodiscard]] inline Seconds net_overhead(const NcclMachine& machine) {
  return Seconds{machine.hosts.amd ? 2e-6 : 1e-6};
}

// treeCorrectionFactor: the fraction of a tree's bandwidth that NCCL expects at 64 B, 128 B, ...
// 256 MiB, and since 2.30 512 MiB.
struct TreeCorrection {
  std::string_view protocol;
  std::array<double, 24> factors;
};
inline constexpr std::array<TreeCorrection, 3> tree_corrections{{
    {"LL", {1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5,
            0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0, 1.0, 1.0}},
    {"LL128", {1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6,
               0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9, 1.0, 1.0, 1.0}},
    {"Simple", {0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5,
                0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9, 0.9}},
}};

/// The number of a size among 64 B, 128 B, ..., from 1; 0 if it is less.
[[nodiscard]] inline std::size_t place_of(Bytes size) {
  return static_cast<std::size_t>(std::bit_width(size.count() >> 6U));
}

[[nodiscard]] inline double tree_correction(std::string_view protocol, Bytes size,
                                            NcclVersion version) {
  const auto* const row = std::ranges::find(tree_corrections, protocol, &TreeCorrection::protocol);
  const std::size_t step = place_of(size);
  const std::size_t last = version < first_blackwell ? 23 : 24;
  return row == tree_corrections.end() || step == 0 || step > last ? 1 : row->factors[step - 1];
}

}  // namespace ringcast::nccl_tables
