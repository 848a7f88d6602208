#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/calibrate/pattern_runner.hpp"
#include "engine/numbers/element.hpp"

namespace ringcast {

/// The purpose of a sample.
enum class Probe {
  node_ladder,          // ping-pong of two ranks of a node, over sizes
  node_messages,        // many small messages between two ranks of a node
  node_pairs,           // large messages, for pairs of each node in turn
  node_both_ways,       // two ranks of a node send to each other
  node_passed,          // a ring of all ranks of the widest node, over sizes
  node_reduced,         // a large message between two ranks of a node, with reduction
  node_passed_reduced,  // as node_passed, with reduction
  node_lent,            // as node_passed, with lent buffers
  network_ladder,       // as within a node, between the first ranks of two nodes
  network_messages,
  network_pairs,  // large messages, from the first rank of each node to that of the next in turn
  network_both_ways,
  network_orders,  // rings of the first ranks of all nodes in random orders
  network_shared,  // all ranks of the first node to those of the second at once
  network_reduced,
  combined_here,  // reduction on one rank, without messages
};
[[nodiscard]] std::string_view name_of(Probe probe);

struct ProbeSample {
  Probe probe{};
  PatternTimes sample;
};

/// All that ringcast-mpi measured for calibrate.
struct Calibration {
  std::vector<std::string> hosts;  // of each node
  std::vector<int> node_of;        // of each rank, counted from 0 in the order of their first ranks
  int cores = 0;                   // of the host of rank 0; 0: unknown
  std::vector<ProbeSample> samples;
};

/// The extent of the measurement.
struct CalibrationEffort {
  PatternEffort each;
  /// The target time of one large message, if its size is then within least and most.
  Seconds large_message{0.02};
  Bytes least_large{std::uint64_t{64} << 10U};
  Bytes most_large{std::uint64_t{64} << 20U};
  /// The total working set of a node's ranks, from one that fits into caches to one that does not.
  Bytes least_sweep{std::uint64_t{1} << 20U};
  Bytes most_sweep{std::uint64_t{512} << 20U};
  int sweep_rounds = 3;             // over all these sizes; the median of each is used
  std::uint64_t ladder_factor = 4;  // between successive sizes of a ladder
};
[[nodiscard]] CalibrationEffort quick_effort();

/// Measures on all ranks of a job; returns the samples on rank 0, nothing elsewhere. `node_of`:
/// Calibration::node_of, the same on every rank. The number of patterns is linear in the nodes.
[[nodiscard]] std::vector<ProbeSample> measure_machine(RankContext& self,
                                                       const std::vector<int>& node_of,
                                                       const CalibrationEffort& effort);

/// The name of its message to the launcher (measure/job_words.hpp).
inline constexpr std::string_view calibration_word = "calibration";

/// JSON in one line.
[[nodiscard]] std::string to_json(const Calibration& calibration);
/// Throws ScenarioError for a text that is not a calibration.
[[nodiscard]] Calibration calibration_from_json(std::string_view text);

}  // namespace ringcast
