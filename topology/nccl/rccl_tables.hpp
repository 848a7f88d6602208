#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "topology/nccl/nccl_tables.hpp"

/// The rates that RCCL expects of its protocols, by which it chooses: rcclTuningModel in ROCm/rccl,
/// src/graph/tuning.cc, and the machines' models in src/graph/rome_models.cc.
namespace ringcast::rccl_tables {

/// The fraction of an expected bandwidth at 64 B, 128 B, ... 4 GiB.
using Corrections = std::array<double, 27>;

/// An algorithm with a protocol.
struct Expectation {
  /// bwRatio: the fraction of the rings' bandwidth, for one or two nodes and for more.
  double of_two_nodes;
  double of_more;
  /// treeCorrectionFactor; ringCorrectionFactor, which holds between nodes.
  Corrections corrections;
  /// hwLat: a hop over xGMI and one between nodes, in us; zero: as in the profile.
  double within = 0;
  double across = 0;
};

struct TuningModel {
  Expectation tree_ll;
  Expectation tree_simple;
  Expectation ring_ll;  // and LL128
  Expectation ring_simple;
  const Corrections* tree_ll128 = nullptr;  // null: as LL
};

inline constexpr Corrections tree_ll_of_mi250x_node{0.1, 0.2, 0.1, 0.1, 0.9, 0.3, 0.4, 0.1, 0.2,
                                                    0.4, 0.2, 0.1, 0.3, 0.3, 0.2, 0.2, 0.2, 0.1,
                                                    0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
inline constexpr Corrections tree_simple_of_mi250x_node{
    0.2, 1.0, 0.1, 0.1, 0.7, 0.2, 0.4, 0.1, 0.1, 0.3, 0.4, 0.3, 0.6, 0.8,
    1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.8, 0.8, 0.8, 0.8, 0.9, 0.9, 0.9};
inline constexpr Corrections ring_ll_of_mi250x_node{0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.4, 0.2, 0.3,
                                                    0.5, 0.3, 0.1, 0.5, 0.5, 0.3, 0.2, 0.2, 0.1,
                                                    0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
inline constexpr Corrections ring_simple_of_mi250x_node{
    1.0, 0.8, 0.2, 1.0, 1.0, 0.3, 1.0, 0.1, 0.1, 0.2, 0.2, 0.1, 0.5, 1.0,
    0.8, 0.8, 1.0, 0.9, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
/// tuning_model_0, the default: four MI250X without NICs (rome_model_62 and 73), or with other
/// NICs.
inline constexpr TuningModel mi250x_node{
    .tree_ll = {0.04, 0.04, tree_ll_of_mi250x_node, 0.8, 11.8},
    .tree_simple = {0.91, 0.95, tree_simple_of_mi250x_node, 2.5, 20.8},
    .ring_ll = {0.04, 0.04, ring_ll_of_mi250x_node, 0.8, 9.5},
    .ring_simple = {1.00, 1.00, ring_simple_of_mi250x_node, 3.6, 15.1},
};

inline constexpr Corrections tree_ll_of_mi250x_nodes{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 1.0, 1.0, 0.2,
                                                     1.0, 0.9, 1.0, 0.6, 0.4, 0.6, 0.4, 0.3, 0.3,
                                                     0.3, 0.3, 0.3, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2};
inline constexpr Corrections tree_simple_of_mi250x_nodes{
    1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.1, 0.1, 0.1, 0.2, 1.0, 0.8, 1.0, 1.0,
    1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.8, 0.7, 0.8, 0.9, 0.7, 0.7};
inline constexpr Corrections ring_ll_of_mi250x_nodes{0.1, 0.1, 0.1, 0.1, 0.1, 0.3, 0.1, 0.2, 0.1,
                                                     0.4, 0.4, 0.2, 0.2, 0.3, 0.7, 0.5, 0.4, 0.3,
                                                     0.3, 0.3, 0.3, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2};
inline constexpr Corrections ring_simple_of_mi250x_nodes{
    0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.5, 1.0, 0.1, 0.3, 0.1, 0.1, 0.1,
    0.2, 0.2, 0.2, 0.3, 0.4, 0.7, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
/// tuning_model_3, between nodes of four MI250X with four NICs (rome_model_63 and 74).
inline constexpr TuningModel mi250x_nodes{
    .tree_ll = {0.20, 0.20, tree_ll_of_mi250x_nodes, 0.8, 12.5},
    .tree_simple = {1.75, 0.96, tree_simple_of_mi250x_nodes, 2.5, 22.4},
    .ring_ll = {0.20, 0.20, ring_ll_of_mi250x_nodes, 0.8, 9.5},
    .ring_simple = {1.00, 1.00, ring_simple_of_mi250x_nodes, 3.6, 19.8},
};

inline constexpr Corrections tree_ll_of_mi300x{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 1.0, 1.0, 1.0,
                                               1.0, 1.0, 0.6, 1.0, 0.9, 1.0, 1.0, 0.1, 0.1,
                                               0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
inline constexpr Corrections tree_simple_of_mi300x{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1,
                                                   0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.7, 1.0, 1.0,
                                                   1.0, 1.0, 1.0, 0.7, 0.7, 0.5, 0.6, 0.6, 0.6};
inline constexpr Corrections ring_ll_of_mi300x{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1,
                                               0.1, 0.1, 1.0, 0.2, 1.0, 0.4, 0.4, 0.1, 0.2,
                                               0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
inline constexpr Corrections ring_simple_of_mi300x{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1,
                                                   0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1,
                                                   0.1, 0.1, 0.1, 0.1, 1.0, 0.8, 1.0, 1.0, 1.0};
/// tuning_model_5, between nodes of MI300X, MI325X and MI308X.
inline constexpr TuningModel mi300x{
    .tree_ll = {0.06, 0.06, tree_ll_of_mi300x},
    .tree_simple = {0.11, 0.59, tree_simple_of_mi300x},
    .ring_ll = {0.08, 0.08, ring_ll_of_mi300x},
    .ring_simple = {1.00, 1.00, ring_simple_of_mi300x},
};

inline constexpr Corrections tree_ll128_of_mi350x{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 1.0, 1.0, 1.0,
                                                  1.0, 1.0, 0.6, 1.0, 0.9, 1.0, 1.0, 1.0, 1.0,
                                                  1.0, 2.0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
inline constexpr Corrections tree_simple_of_mi350x{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1,
                                                   0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.7, 1.0, 0.1,
                                                   0.1, 0.1, 0.9, 0.9, 0.7, 0.8, 0.6, 0.6, 0.6};
/// tuning_model_6, between nodes of MI350X and MI355X.
inline constexpr TuningModel mi350x{
    .tree_ll = {0.06, 0.06, tree_ll_of_mi300x},
    .tree_simple = {0.11, 0.59, tree_simple_of_mi350x},
    .ring_ll = {0.08, 0.08, ring_ll_of_mi300x},
    .ring_simple = {1.00, 1.00, ring_simple_of_mi300x},
    .tree_ll128 = &tree_ll128_of_mi350x,
};

/// The latency of a hop of ring/Simple between nodes of MI300X and later by hwLat. It is no time of
/// a message, which the profile has, but keeps RCCL from rings.
inline constexpr Seconds ring_simple_network{320e-6};

/// Whether RCCL's models list the rings of a node: those of four MI250X, two ranks each.
[[nodiscard]] inline bool has_listed_rings(const NcclMachine& machine) {
  return machine.rccl && machine.gpus.mi250 && machine.nvlink && machine.ranks == 8 * machine.nodes;
}

/// How often they list each. A listing has the rate of the links.
[[nodiscard]] inline int listings(const NcclMachine& machine) {
  return has_listed_rings(machine) ? 2 : 1;
}

/// The model by which RCCL chooses. Null: NCCL's rules, which fit better in a node of MI300X or
/// later, and between nodes of unknown kinds. Other nodes have tuning_model_0, RCCL's default: all
/// of five take up to twice as long from 16 or 32 KiB on, where it changes from LL to Simple (MI50,
/// MI100, MI210).
[[nodiscard]] inline const TuningModel* model_of(const NcclMachine& machine) {
  if (machine.xgmi_mesh && machine.nodes == 1) return nullptr;
  if (machine.xgmi_mesh) return machine.gpus.mi350 ? &mi350x : &mi300x;
  if (!has_listed_rings(machine)) {
    return machine.rccl && machine.nodes == 1 ? &mi250x_node : nullptr;
  }
  constexpr int nics = 4;
  return machine.nodes > 1 && machine.nics == nics ? &mi250x_nodes : &mi250x_node;
}

/// MI300X and later, and eight MI250X (ll128Enabled of rome_model_65).
[[nodiscard]] inline bool has_ll128(const NcclMachine& machine) {
  return machine.xgmi_mesh || (machine.gpus.mi250 && machine.ranks == 16 * machine.nodes);
}

[[nodiscard]] inline const Expectation& expectation_of(const TuningModel& model,
                                                       const Protocol& protocol) {
  const bool simple = protocol.name == "Simple";
  if (protocol.algorithm == "ring") return simple ? model.ring_simple : model.ring_ll;
  return simple ? model.tree_simple : model.tree_ll;
}

/// The part of the rings' bandwidth that RCCL expects of a protocol of trees or rings.
[[nodiscard]] inline double share(const NcclMachine& machine, const TuningModel& model,
                                  const Protocol& protocol, Bytes size) {
  const Expectation& expected = expectation_of(model, protocol);
  const double ratio = machine.nodes <= 2 ? expected.of_two_nodes : expected.of_more;
  if (protocol.algorithm == "ring" && machine.nodes == 1) return ratio;
  const bool own = model.tree_ll128 != nullptr && protocol.full_name() == "tree/LL128";
  const Corrections& corrections = own ? *model.tree_ll128 : expected.corrections;
  const std::size_t place =
      std::clamp<std::size_t>(nccl_tables::place_of(size), 1, corrections.size());
  return ratio * corrections[place - 1];
}

/// llProtoRanges has 9437184, but three pairs of MI300X and MI308X (RCCL 2.22 to 2.27) take 230 us
/// for 8 MiB, nearly as long as Simple would; the pair of MI308X takes 95 us for 4 MiB.
inline constexpr double mi300_ll128 = 8388607;

/// The protocol, whatever the estimate: llProtoRanges, rcclUpdateCollectiveProtocol() in
/// src/rccl_wrap.cc.
[[nodiscard]] inline std::string_view protocol_for(const NcclMachine& machine, Bytes size) {
  const double ll = machine.gpus.mi350 ? 131071 : 1048576;
  const double of_mi300 = machine.nodes > 2 ? 9437184 : mi300_ll128;
  const double ll128 = (machine.gpus.mi350 ? 17660227 : of_mi300) * (machine.nodes > 2 ? 3.8 : 1);
  const auto bytes = static_cast<double>(size.count());
  if (bytes <= ll) return "LL";
  return bytes <= ll128 ? "LL128" : "Simple";
}

}  // namespace ringcast::rccl_tables
