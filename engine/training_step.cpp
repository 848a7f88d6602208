#include "engine/training_step.hpp"

#include <cmath>
#include <numeric>

#include "engine/checked_data.hpp"
#include "engine/error.hpp"
#include "engine/training_cost.hpp"

namespace ringcast {
namespace {

/// The computations of one iteration, posted in order and waited for in order.
class ComputeStrand {
 public:
  ComputeStrand(Processor& processor, double slowness)
      : processor_{&processor}, slowness_{slowness} {}

  void post(Seconds work) {
    posted_.push_back(processor_->compute(slowness_ * work));
    total_ += slowness_ * work;
  }
  /// Returns when the first `count` have ended.
  void wait_for(std::size_t count) {
    for (; ended_ < count; ++ended_) {
      posted_[ended_].wait();
    }
  }
  void wait_for_all() { wait_for(posted_.size()); }
  [[nodiscard]] Seconds total() const { return total_; }

 private:
  Processor* processor_;
  double slowness_;
  std::vector<Pending> posted_;
  std::size_t ended_ = 0;
  Seconds total_{0};
};

CheckedData checked(const CollectiveRequest& request, const RankContext& self, int workers) {
  return {request.data, request.elements, self.reducer.reduction(), workers};
}

}  // namespace

std::uint64_t travelling_elements(const Bucket& bucket, double compression) {
  expect(compression >= 1, "a compression of {}", compression);
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(bucket.elements) / compression));
}

Seconds StepTimes::in_allreduces() const {
  return std::accumulate(
      allreduces.begin(), allreduces.end(), Seconds{0},
      [](Seconds sum, const Interval& allreduce) { return sum + allreduce.length(); });
}

TrainingRank::TrainingRank(const TrainingStep& step, const Collective& allreduce, RankContext& self)
    : step_{&step}, allreduce_{&allreduce}, self_{&self} {
  expect(step.passes > 0, "{} passes", step.passes);
  expect(step.workers > 0 && step.workers <= self.network.size(), "{} workers of {} ranks",
         step.workers, self.network.size());
  const Bytes width = size_of(self.reducer.reduction().type);
  for (const Bucket& bucket : step.buckets) {
    expect(bucket.first_layer <= bucket.last_layer && bucket.last_layer < step.layers.size(),
           "a bucket of layers {} to {}, of {}", bucket.first_layer, bucket.last_layer,
           step.layers.size());
    const std::uint64_t elements = travelling_elements(bucket, step.compression);
    gradients_.push_back({self.memory.allocate(elements * width), elements});
  }
}

bool TrainingRank::computes() const {
  return index_of(self_->network.rank()) < step_->workers;
}

void TrainingRank::fill() {
  for (const CollectiveRequest& request : gradients_) {
    if (computes()) {
      checked(request, *self_, step_->workers).fill(self_->memory, self_->network.rank());
    }
  }
}

void TrainingRank::verify() const {
  for (const CollectiveRequest& request : gradients_) {
    if (computes()) {
      checked(request, *self_, step_->workers)
          .verify_allreduce(self_->memory, self_->network.rank());
    }
  }
}

Interval TrainingRank::reduce(std::size_t bucket) {
  const Seconds begin = self_->network.now();
  allreduce_->run(gradients_[bucket], *self_);
  return {begin, self_->network.now()};
}

StepTimes TrainingRank::iterate(double slowness) {
  StepTimes times;
  times.whole.begin = self_->network.now();
  ComputeStrand strand{self_->processor, computes() ? slowness : 0};

  strand.post(time_before_last_backward(*step_));
  for (std::size_t layer = step_->layers.size(); layer-- > 0;) {
    strand.post(step_->layers[layer].backward);
  }
  for (std::size_t i = 0; i < step_->buckets.size(); ++i) {
    // The first computation is all that comes before, the second the last layer's backward.
    strand.wait_for(1 + layers_before(*step_, step_->buckets[i]));
    times.allreduces.push_back(reduce(i));
  }
  strand.wait_for_all();
  strand.post(step_->optimizer);
  strand.wait_for_all();

  times.whole.end = self_->network.now();
  times.compute = strand.total();
  return times;
}

}  // namespace ringcast
