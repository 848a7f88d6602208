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

/// One iteration of data-parallel training, equal on all ranks: `passes` forward and backward
/// passes, an all-reduce of each bucket of the accumulated gradients during or after the last one,
/// then the optimizer.
struct TrainingStep {
  std::vector<LayerWork> layers;  // in forward order
  std::vector<Bucket> buckets;    // plan_buckets() of these layers
  /// The time of the host at the beginning of each pass.
  Seconds pass_overhead{0};
  int passes = 1;
  Seconds optimizer{0};
  /// The factor by which fewer bytes of gradients are sent; gathered weights are not compressed.
  double compression = 1;
  /// True: a bucket is all-reduced as soon as it is ready, during backward; false: after backward.
  bool overlap = true;
  /// With overlap: the number of further layers of backward for which a bucket's all-reduce waits,
  /// because the framework launched them before the all-reduce.
  std::size_t launch_ahead = 0;
  /// True: the phases of an all-reduce (AllreduceHalves) are separated, as in FSDP. A bucket's
  /// gradients are reduced after its backward; its weights are gathered at the beginning of the
  /// next iteration, those of the first layers first. A layer's forward waits for its own weights;
  /// without overlap, for all weights.
  bool weights_before_forward = false;
  /// The number of ranks that train, which are the first; the others are parameter servers.
  int workers = 1;
};

/// The collectives that run on each bucket. Both must outlive their users.
struct BucketCollectives {
  const Collective* reduce = nullptr;  // all-reduce; with weights_before_forward its first phase
  const Collective* gather = nullptr;  // second phase; null without weights_before_forward
};

/// The elements of a bucket that are sent, after compression.
[[nodiscard]] std::uint64_t travelling_elements(const Bucket& bucket, double compression);

struct Interval {
  Seconds begin{0};
  Seconds end{0};
  [[nodiscard]] Seconds length() const { return end - begin; }
};

/// The times of one iteration of one rank, on the clock of its endpoint.
struct StepTimes {
  Interval whole;
  /// The work posted to its processor.
  Seconds compute{0};
  /// The all-reduce of each bucket, in order.
  std::vector<Interval> allreduces;
  /// With weights_before_forward: the gather of each bucket's weights, the last bucket first.
  std::vector<Interval> gathers = {};

  /// The sum of allreduces and gathers.
  [[nodiscard]] Seconds in_allreduces() const;
};

/// One rank's part of training. Keeps its buffers between iterations.
class TrainingRank {
 public:
  /// All arguments must outlive it. Throws ContractViolation for buckets of unknown layers, more
  /// workers than ranks, or collectives that do not match weights_before_forward.
  TrainingRank(const TrainingStep& step, const BucketCollectives& collectives, RankContext& self);
  /// Runs one iteration; every rank calls it. The computation takes `slowness` times as long.
  StepTimes iterate(double slowness);
  /// Before an iteration, fills a worker's gradients with values of known sums.
  void fill();
  /// After it, throws WrongResult unless a worker has these sums. Both need memory that holds data.
  void verify() const;

 private:
  class ComputeStrand;
  [[nodiscard]] bool computes() const;
  Interval timed(const Collective& collective, const CollectiveRequest& request);
  void post_first_forward(ComputeStrand& strand, StepTimes& times);

  const TrainingStep* step_;
  BucketCollectives collectives_;
  RankContext* self_;
  std::vector<CollectiveRequest> gradients_;  // by bucket
  std::vector<CollectiveRequest> weights_;    // by bucket; destinations of the gathers, never read
};

}  // namespace ringcast
