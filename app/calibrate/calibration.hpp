#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/calibrate/pattern_runner.hpp"
#include "engine/numbers/element.hpp"

namespace ringcast {

/// The quantity that a sample measures.
enum class Probe {
  node_ladder,          // ping-pong of two ranks of a node, over sizes
  node_messages,        // many small messages between them
  node_pairs,           // one large stream, pair by pair of each node
  node_both_ways,       // two ranks of a node send to each other
  node_passed,          // all ranks of the widest node, each to the next, at once, over sizes
  node_reduced,         // the two ranks again, combining what comes
  node_passed_reduced,  // the same, combining
  node_lent,            // the same, lending
  network_ladder,
  network_messages,
  network_pairs,  // the first rank of each node to that of the next, one after the other
  network_both_ways,
  network_orders,  // the first ranks of all nodes, round rings at random, all at once
  network_shared,  // all ranks of one node to those of the next
  network_reduced,
  combined_here,  // one rank combines by itself
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
  int cores = 0;                   // that rank 0 may use; 0: unknown
  std::string data_type = "float32";
  std::vector<ProbeSample> samples;
};

/// The extent of the measurement.
struct CalibrationEffort {
  PatternEffort each;
  /// The target time of one large message, if its size is then within least and most.
  Seconds large_message{0.02};
  Bytes least_large{std::uint64_t{64} << 10U};
  Bytes most_large{std::uint64_t{64} << 20U};
  /// The working sets of a node's ranks together, from inside any cache to beyond.
  Bytes least_sweep{std::uint64_t{1} << 20U};
  Bytes most_sweep{std::uint64_t{512} << 20U};
  int sweep_rounds = 3;  // of all these sizes, of which the medians count
  /// From one size of a ladder to the next.
  std::uint64_t ladder_factor = 4;
};
[[nodiscard]] CalibrationEffort quick_effort();

/// Measures on all ranks of a job; the samples on rank 0, nothing elsewhere. `node_of`: as
/// Calibration's, the same on every rank. The number of patterns grows with the nodes, not with
/// their square.
[[nodiscard]] std::vector<ProbeSample> measure_machine(RankContext& self,
                                                       const std::vector<int>& node_of,
                                                       const CalibrationEffort& effort);

/// The name of its message to the launcher (measure/job_words.hpp).
inline constexpr std::string_view calibration_word = "calibration";

/// One line.
[[nodiscard]] std::string to_json(const Calibration& calibration);
/// Throws ScenarioError for text that is no calibration.
[[nodiscard]] Calibration calibration_from_json(std::string_view text);

}  // namespace ringcast
