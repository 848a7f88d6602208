#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "app/config/scenario/plan.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"

namespace ringcast {

/// A cell of a training's sweep, with all that running it needs. A measurement uses it for
/// all-reduces, too, with an empty step.
struct PlannedTraining : PlannedCell {
  TrainingStep step;
  /// The throughput of a single GPU, computed from the layers' times: it does not communicate, and
  /// computation takes its given time in a measurement, too.
  double one_gpu_samples_per_s = 0;
  /// In a simulation with a tuner: its choice for each size of bucket. The algorithm of the
  /// training is then that of most bytes.
  std::vector<PlannedCell> calls = {};
};

/// For each scaling and each of plan()'s cells: buckets x overlaps.
[[nodiscard]] std::vector<PlannedTraining> plan_training(const Scenario& scenario,
                                                         const std::vector<PlannedCell>& cells);

/// The algorithm of the cell: reduce-scatter and all-gather if the weights are gathered before
/// forward; else `reduce` is the all-reduce and `gather` is null.
[[nodiscard]] AllreduceHalves make_collectives(const PlannedTraining& planned);

/// Whether workers wait for servers only, never for each other.
[[nodiscard]] bool is_asynchronous(const PlannedTraining& planned);

/// The broadcast of the initial weights from the first rank to all others round the rings, on each
/// in at most 256 segments of 1 MiB or more, so that the hops overlap.
[[nodiscard]] std::unique_ptr<Collective> broadcast_of(const PlannedTraining& planned);
[[nodiscard]] Rank broadcast_root(const PlannedTraining& planned);
/// The ranks, their ring order and its channels: cells with equal keys have the same broadcast.
using BroadcastKey = std::tuple<int, std::string, std::size_t>;
[[nodiscard]] BroadcastKey broadcast_key(const PlannedTraining& planned);

/// The rank of the option --timeline. Throws ScenarioError unless every cell of the scenario has
/// it.
[[nodiscard]] Rank timeline_rank(int rank, const Scenario& scenario);

}  // namespace ringcast
