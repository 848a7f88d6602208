#pragma once

#include <cstddef>
#include <vector>

#include "engine/contracts/collective.hpp"
#include "engine/training/gradient_buckets.hpp"

namespace ringcast {

/// The computation of one layer in one pass.
struct LayerWork {
  Seconds forward{0};
  Seconds backward{0};
};

/// One iteration of data-parallel training, as all ranks do it: `passes` times forward and
/// backward, the gradients of the last pass (sums over all of them) fused into buckets and
/// all-reduced, then the optimizer.
struct TrainingStep {
  std::vector<LayerWork> layers;  // in forward order
  std::vector<Bucket> buckets;    // plan_buckets() of these layers
  /// At the beginning of each pass.
  Seconds pass_overhead{0};
  int passes = 1;
  Seconds optimizer{0};
  /// A gradient travels in so many times fewer bytes; weights that come by themselves do not.
  double compression = 1;
  /// True: a bucket is all-reduced as soon as it is ready, while backward goes on; false: after it.
  bool overlap = true;
  /// With overlap: a bucket's all-reduce also waits for the next so many layers of backward, which
  /// the framework had launched when it launched the all-reduce.
  std::size_t launch_ahead = 0;
  /// True: the iteration begins with the second half of what the one before began: each bucket's
  /// weights come to all ranks, those of the first layers first, and a layer's forward waits for
  /// its own; without overlap for all. Then only the first half follows backward.
  bool weights_before_forward = false;
  /// The first so many ranks train; those behind them serve only (parameter servers).
  int workers = 1;
};

/// The collectives that run on each bucket. Both must outlive their users.
struct BucketCollectives {
  const Collective* reduce = nullptr;  // an all-reduce; with weights_before_forward its first half
  const Collective* gather = nullptr;  // and its second, else nothing
};

/// The elements of a bucket that travel, after compression.
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
  /// With weights_before_forward: when each bucket's weights came, the last bucket's first.
  std::vector<Interval> gathers = {};

  /// Both halves together.
  [[nodiscard]] Seconds in_allreduces() const;
};

/// One rank's part of a training: its gradients, kept from iteration to iteration.
class TrainingRank {
 public:
  /// All must outlive it. Throws ContractViolation for buckets of layers that there are not, more
  /// workers than ranks, or halves of an all-reduce where a whole one is needed.
  TrainingRank(const TrainingStep& step, const BucketCollectives& collectives, RankContext& self);
  /// Runs one iteration; every rank calls it. The computation takes `slowness` times as long.
  StepTimes iterate(double slowness);
  /// Gradients whose sums are known, before an iteration; and after it, whether all have them.
  /// Throws WrongResult. Where the memory holds data.
  void fill();
  void verify() const;

 private:
  class ComputeStrand;
  [[nodiscard]] bool computes() const;
  Interval timed(const Collective& collective, const CollectiveRequest& request);
  void post_first_forward(ComputeStrand& strand, StepTimes& times);

  const TrainingStep* step_;
  BucketCollectives collectives_;
  RankContext* self_;
  std::vector<CollectiveRequest> gradients_;  // of each bucket
  std::vector<CollectiveRequest> weights_;    // gathered before forward, and never read
};

}  // namespace ringcast
