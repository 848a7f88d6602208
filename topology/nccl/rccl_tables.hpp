#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "topology/nccl/nccl_tables.hpp"

/// RCCL's choices between nodes of eight fully connected GPUs: tuning_model_5
/// (MI300X, MI325X, MI308X) and tuning_model_6 (MI350X, MI355X) in ROCm/rccl, src/graph/tuning.cc.
namespace ringcast::rccl_tables {

/// By algorithm, then LL, LL128, Simple.
using Ratios = std::array<std::array<double, 3>, 2>;
// bwRatio: the fraction of the graph's bandwidth that an algorithm reaches, for two nodes and more.
inline constexpr Ratios two_nodes{{{0.06, 0.06, 0.11}, {0.08, 0.08, 1.00}}};
inline constexpr Ratios more_nodes{{{0.06, 0.06, 0.59}, {0.08, 0.08, 1.00}}};

/// The fraction of that at 64 B, 128 B, ... 4 GiB.
using Corrections = std::array<double, 27>;
// treeCorrectionFactor and ringCorrectionFactor; LL128 as LL but on trees of tuning_model_6.
inline constexpr Corrections tree_ll{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 1.0, 1.0, 1.0,
                                     1.0, 1.0, 0.6, 1.0, 0.9, 1.0, 1.0, 0.1, 0.1,
                                     0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
inline constexpr Corrections tree_ll128_mi350{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 1.0, 1.0, 1.0,
                                              1.0, 1.0, 0.6, 1.0, 0.9, 1.0, 1.0, 1.0, 1.0,
                                              1.0, 2.0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
inline constexpr Corrections tree_simple{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1,
                                         0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.7, 1.0, 1.0,
                                         1.0, 1.0, 1.0, 0.7, 0.7, 0.5, 0.6, 0.6, 0.6};
inline constexpr Corrections tree_simple_mi350{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1,
                                               0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.7, 1.0, 0.1,
                                               0.1, 0.1, 0.9, 0.9, 0.7, 0.8, 0.6, 0.6, 0.6};
inline constexpr Corrections ring_ll{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1,
                                     0.1, 0.1, 1.0, 0.2, 1.0, 0.4, 0.4, 0.1, 0.2,
                                     0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
inline constexpr Corrections ring_simple{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1,
                                         0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1,
                                         0.1, 0.1, 0.1, 0.1, 1.0, 0.8, 1.0, 1.0, 1.0};

/// The latency of a hop of ring/Simple between nodes by hwLat. It is no time of a message, which
/// the profile has, but keeps RCCL from rings.
inline constexpr Seconds ring_simple_network{320e-6};

[[nodiscard]] inline const Corrections& corrections_of(const NcclMachine& machine,
                                                       const Protocol& protocol) {
  const bool simple = protocol.name == "Simple";
  if (protocol.algorithm == "ring") return simple ? ring_simple : ring_ll;
  if (simple) return machine.mi350 ? tree_simple_mi350 : tree_simple;
  return machine.mi350 && protocol.name == "LL128" ? tree_ll128_mi350 : tree_ll;
}

/// The part of the rings' bandwidth that RCCL expects of a protocol of trees or rings.
[[nodiscard]] inline double share(const NcclMachine& machine, const Protocol& protocol,
                                  Bytes size) {
  const Ratios& ratios = machine.nodes <= 2 ? two_nodes : more_nodes;
  const Corrections& corrections = corrections_of(machine, protocol);
  const std::size_t place =
      std::clamp<std::size_t>(nccl_tables::place_of(size), 1, corrections.size());
  return ratios[protocol.algorithm == "tree" ? 0 : 1][protocol.name == "Simple" ? 2 : 0] *
         corrections[place - 1];
}

/// llProtoRanges has 9437184, but three pairs of MI300X and MI308X (RCCL 2.22 to 2.27) take 230 us
/// for 8 MiB, nearly as long as Simple would; the pair of MI308X takes 95 us for 4 MiB.
inline constexpr double mi300_ll128 = 8388607;

/// The protocol, whatever the estimate: llProtoRanges, rcclUpdateCollectiveProtocol() in
/// src/rccl_wrap.cc.
[[nodiscard]] inline std::string_view protocol_for(const NcclMachine& machine, Bytes size) {
  const double ll = machine.mi350 ? 131071 : 1048576;
  const double of_mi300 = machine.nodes > 2 ? 9437184 : mi300_ll128;
  const double ll128 = (machine.mi350 ? 17660227 : of_mi300) * (machine.nodes > 2 ? 3.8 : 1);
  const auto bytes = static_cast<double>(size.count());
  if (bytes <= ll) return "LL";
  return bytes <= ll128 ? "LL128" : "Simple";
}

}  // namespace ringcast::rccl_tables
