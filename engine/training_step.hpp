#pragma once

#include <cstddef>
#include <vector>

#include "engine/collective.hpp"
#include "engine/gradient_buckets.hpp"

namespace ringcast {

/// What one layer computes in one pass.
struct LayerWork {
  Seconds forward{0};
  Seconds backward{0};
};

/// One iteration of data-parallel training, as all ranks do it: `passes` times forward and
/// backward, the gradients of the last pass (sums over all of them) fused into buckets and
/// all-reduced, then the optimizer.
struct TrainingStep {
  std::vector<LayerWork> layers;  // in forward order
  std::vector<Bucket> buckets;    // what plan_buckets() made of these layers
  /// At the beginning of each pass.
  Seconds pass_overhead{0};
  int passes = 1;
  Seconds optimizer{0};
  /// A gradient travels in so many times fewer bytes.
  double compression = 1;
  /// True: a bucket is all-reduced as soon as it is ready, while backward goes on; false: after it.
  bool overlap = true;
  /// With overlap: a bucket's all-reduce also waits for the next so many layers of backward, which
  /// the framework had launched when it launched the all-reduce.
  std::size_t launch_ahead = 0;
  /// The first so many ranks train; those behind them serve only (parameter servers).
  int workers = 1;
};
/// What travels of a bucket.
[[nodiscard]] std::uint64_t travelling_elements(const Bucket& bucket, double compression);

struct Interval {
  Seconds begin{0};
  Seconds end{0};
  [[nodiscard]] Seconds length() const { return end - begin; }
};

/// One iteration of one rank, on the clock of its endpoint.
struct StepTimes {
  Interval whole;
  /// The work that its processor was given.
  Seconds compute{0};
  /// Each bucket's all-reduce, one after the other.
  std::vector<Interval> allreduces;

  [[nodiscard]] Seconds in_allreduces() const;
};

/// One rank's part of a training: its gradients, kept from iteration to iteration.
class TrainingRank {
 public:
  /// All three must outlive it. Throws ContractViolation for buckets of layers that there are not,
  /// or more workers than ranks.
  TrainingRank(const TrainingStep& step, const Collective& allreduce, RankContext& self);
  /// Runs one iteration; every rank calls it. The computation takes `slowness` times as long.
  StepTimes iterate(double slowness);
  /// Gradients whose sums are known, before an iteration; and after it, whether all have them.
  /// Throws WrongResult. Where the memory holds data.
  void fill();
  void verify() const;

 private:
  [[nodiscard]] bool computes() const;
  Interval reduce(std::size_t bucket);

  const TrainingStep* step_;
  const Collective* allreduce_;
  RankContext* self_;
  std::vector<CollectiveRequest> gradients_;  // of each bucket
};

}  // namespace ringcast
