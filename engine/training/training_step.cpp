#include "engine/training/training_step.hpp"

#include <cmath>
#include <numeric>

#include "engine/collectives/checked_data.hpp"
#include "engine/numbers/error.hpp"
#include "engine/training/training_cost.hpp"

namespace ringcast {

/// The computations of one iteration, posted in order and waited for in order.
class TrainingRank::ComputeStrand {
 public:
  ComputeStrand(Processor& processor, double slowness)
      : processor_{&processor}, slowness_{slowness} {}

  void post(Seconds work) {
    posted_.push_back(processor_->compute(slowness_ * work));
    total_ += slowness_ * work;
  }
  /// Blocks until the first `count` have ended.
  void wait_for(std::size_t count) {
    for (; ended_ < count; ++ended_) {
      posted_[ended_].wait();
    }
  }
  void wait_for_all() { wait_for(posted_.size()); }
  [[nodiscard]] std::size_t posted() const { return posted_.size(); }
  [[nodiscard]] Seconds total() const { return total_; }

 private:
  Processor* processor_;
  double slowness_;
  std::vector<Pending> posted_;
  std::size_t ended_ = 0;
  Seconds total_{0};
};

namespace {

CheckedData checked(const CollectiveRequest& request, const RankContext& self, int workers) {
  return {request.data, request.elements, self.reducer.reduction(), workers};
}

}  // namespace

std::uint64_t travelling_elements(const Bucket& bucket, double compression) {
  expect(compression >= 1, "a compression of {}", compression);
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(bucket.elements) / compression));
}

Seconds StepTimes::in_allreduces() const {
  const auto add = [](Seconds sum, const Interval& part) { return sum + part.length(); };
  return std::accumulate(gathers.begin(), gathers.end(),
                         std::accumulate(allreduces.begin(), allreduces.end(), Seconds{0}, add),
                         add);
}

TrainingRank::TrainingRank(const TrainingStep& step, const BucketCollectives& collectives,
                           RankContext& self)
    : step_{&step}, collectives_{collectives}, self_{&self} {
  expect(collectives.reduce != nullptr &&
             (collectives.gather != nullptr) == step.weights_before_forward,
         "weights before forward need both phases of an all-reduce, otherwise one collective");
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
    if (step.weights_before_forward) {
      weights_.push_back({self.memory.allocate(bucket.elements * width), bucket.elements});
    }
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
  if (step_->weights_before_forward) {
    for (const CollectiveRequest& request : gradients_) {
      collectives_.gather->run(request, *self_);
    }
  }
  for (const CollectiveRequest& request : gradients_) {
    if (computes()) {
      checked(request, *self_, step_->workers)
          .verify_allreduce(self_->memory, self_->network.rank());
    }
  }
}

Interval TrainingRank::timed(const Collective& collective, const CollectiveRequest& request) {
  const Seconds begin = self_->network.now();
  collective.run(request, *self_);
  return {begin, self_->network.now()};
}

void TrainingRank::post_first_forward(ComputeStrand& strand, StepTimes& times) {
  std::size_t posted = 0;
  const auto post_before = [&](std::size_t layer) {
    for (; posted < layer; ++posted) {
      strand.post(step_->layers[posted].forward);
    }
  };
  // The pass overhead is time of the host, which launches the gathers after it.
  strand.post(step_->pass_overhead);
  strand.wait_for_all();
  for (std::size_t i = weights_.size(); i-- > 0;) {
    if (step_->overlap) {
      post_before(step_->buckets[i].first_layer);
    }
    times.gathers.push_back(timed(*collectives_.gather, weights_[i]));
  }
  post_before(step_->layers.size());
}

StepTimes TrainingRank::iterate(double slowness) {
  StepTimes times;
  times.whole.begin = self_->network.now();
  ComputeStrand strand{self_->processor, computes() ? slowness : 0};

  if (step_->weights_before_forward) {
    post_first_forward(strand, times);
    strand.post(time_before_last_backward(*step_) - time_of_forward(*step_));
  } else {
    strand.post(time_before_last_backward(*step_));
  }
  const std::size_t first = strand.posted();
  for (std::size_t layer = step_->layers.size(); layer-- > 0;) {
    strand.post(step_->layers[layer].backward);
  }
  for (std::size_t i = 0; i < step_->buckets.size(); ++i) {
    strand.wait_for(first + layers_before(*step_, step_->buckets[i]));
    times.allreduces.push_back(timed(*collectives_.reduce, gradients_[i]));
  }
  strand.wait_for_all();
  strand.post(step_->optimizer);
  strand.wait_for_all();

  times.whole.end = self_->network.now();
  times.compute = strand.total();
  return times;
}

}  // namespace ringcast
