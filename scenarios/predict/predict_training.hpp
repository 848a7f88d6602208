#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/predict/predict.hpp"
#include "scenarios/training_result.hpp"

namespace ringcast {

struct TrainingOptions {
  int jobs = 1;
  /// Carry real gradients through the simulation and check every sum.
  bool check = false;
  /// Rows get the timeline of this rank.
  std::optional<Rank> timeline = {};
  /// As in PredictOptions.
  std::function<void(double fraction, std::size_t ended, std::size_t cells)> progress = {};
};

/// One point of a training's sweep, with all that its simulation needs.
struct PlannedTraining {
  TrainingCell cell;
  CollectiveOptions options;
  std::vector<int> hosts;  // as in PlannedCell
  TrainingStep step;
  double one_gpu_samples_per_s = 0;
};
/// scaling x ranks x algorithms x ring orders x buckets x overlaps.
[[nodiscard]] std::vector<PlannedTraining> plan_training(const Scenario& scenario,
                                                         const Topology& topology);

/// How many messages one iteration exchanges; as of an all-reduce's, no fewer than there are.
[[nodiscard]] double message_count(const PlannedTraining& planned);

/// Simulates every cell of the scenario's training: each repetition, and the broadcast of the
/// weights, in a child process. Errors as of predict().
[[nodiscard]] Result predict_training(const Scenario& scenario, const TrainingOptions& options);

/// Simulates one iteration in this process, once per process; `repetition` chooses its noise.
/// Throws ContractViolation for an iteration shorter than its computation or its communication,
/// longer than both after each other, or below the physical bound.
[[nodiscard]] TrainingRow simulate_iteration(const PlannedTraining& planned,
                                             const Scenario& scenario, const Topology& topology,
                                             const TrainingOptions& options, int repetition,
                                             const ReportProgress& report);
/// The broadcast of the initial weights from the first rank to all others round a ring, in at most
/// 256 segments of 1 MiB or more, so that the hops overlap. Once per process.
[[nodiscard]] Seconds simulate_broadcast(const PlannedTraining& planned, const Scenario& scenario,
                                         const Topology& topology);

/// What a rank did in an iteration: layer by layer as its processor was given the work, and the
/// all-reduces as they ran. What computations lose to reductions is not in it.
[[nodiscard]] std::vector<TimelineSpan> timeline_of(const Training& training,
                                                    const TrainingStep& step,
                                                    const StepTimes& times);

}  // namespace ringcast
