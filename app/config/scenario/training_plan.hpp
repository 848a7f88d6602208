#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "app/config/scenario/plan.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"

namespace ringcast {

/// One point of a training's sweep, with all that running it needs. Of an all-reduce, in a
/// measurement, the step is empty.
struct PlannedTraining : PlannedCell {
  TrainingStep step;
  /// The throughput of a single GPU, computed from the layers' times: it exchanges nothing, and the
  /// computation of a rank takes its given time in a measurement too.
  double one_gpu_samples_per_s = 0;
  /// A simulation's, where the transport's tuner has a choice for the algorithm: what it chooses
  /// for each size of bucket. Then the training's algorithm is that in which most bytes travel.
  std::vector<PlannedCell> calls = {};
};

/// For each scaling and each of plan()'s cells: buckets x overlaps.
[[nodiscard]] std::vector<PlannedTraining> plan_training(const Scenario& scenario,
                                                         const std::vector<PlannedCell>& cells);

/// The algorithm of its cell, in halves where the weights come before forward; else `gather` is
/// null and `reduce` the whole.
[[nodiscard]] AllreduceHalves make_collectives(const PlannedTraining& planned);

/// Whether workers wait for servers only, never for each other.
[[nodiscard]] bool is_asynchronous(const PlannedTraining& planned);

/// The broadcast of the initial weights from the first rank to all others round the rings, on each
/// in at most 256 segments of 1 MiB or more, so that the hops overlap.
[[nodiscard]] std::unique_ptr<Collective> broadcast_of(const PlannedTraining& planned);
[[nodiscard]] Rank broadcast_root(const PlannedTraining& planned);
/// Cells with the same have the same broadcast: the ranks, their ring order and its channels.
using BroadcastKey = std::tuple<int, std::string, std::size_t>;
[[nodiscard]] BroadcastKey broadcast_key(const PlannedTraining& planned);

/// The rank whose timeline the option --timeline asks for. Every cell of the scenario must have it:
/// ScenarioError.
[[nodiscard]] Rank timeline_rank(int rank, const Scenario& scenario);

}  // namespace ringcast
