#include <algorithm>

#include <fmt/format.h>

#include "app/report/training_iterations.hpp"
#include "engine/training/training_cost.hpp"

namespace ringcast {
namespace {

/// A lane of consecutive computations.
class ComputeLane {
 public:
  ComputeLane(Seconds begin, double slowness) : end_{begin}, slowness_{slowness} {}

  void add(std::string name, Seconds work) {
    const Seconds begin = end_;
    end_ += slowness_ * work;
    spans_.push_back({false, std::move(name), {begin, end_}});
  }
  void begin_at(Seconds time) { end_ = time; }
  void begin_after(Seconds time) { end_ = std::max(end_, time); }
  [[nodiscard]] std::vector<TimelineSpan> spans() && { return std::move(spans_); }

 private:
  Seconds end_;
  double slowness_;
  std::vector<TimelineSpan> spans_;
};

/// The time at which the layer's weights have been gathered; those of the last buckets are first.
Seconds weights_of(std::size_t layer, const TrainingStep& step, const StepTimes& times) {
  if (!step.overlap) {
    return times.gathers.back().end;
  }
  Seconds come = times.whole.begin;
  for (std::size_t i = 0; i < times.gathers.size(); ++i) {
    if (step.buckets[step.buckets.size() - 1 - i].first_layer <= layer) {
      come = times.gathers[i].end;
    }
  }
  return come;
}

void add_forward(ComputeLane& lane, const Training& training, const TrainingStep& step,
                 const StepTimes& times, bool is_first, const std::string& suffix) {
  if (step.pass_overhead > Seconds{0}) {
    lane.add("overhead" + suffix, step.pass_overhead);
  }
  for (std::size_t i = 0; i < step.layers.size(); ++i) {
    if (is_first && !times.gathers.empty()) {
      lane.begin_after(weights_of(i, step, times));
    }
    lane.add("forward " + training.layers[i].name + suffix, step.layers[i].forward);
  }
}

std::string name_of_bucket(const Training& training, const Bucket& bucket, std::size_t number) {
  const std::string& last = training.layers[bucket.last_layer].name;
  const std::string& first = training.layers[bucket.first_layer].name;
  return fmt::format("bucket {}: {}", number + 1, last == first ? last : last + " .. " + first);
}

}  // namespace

std::vector<TimelineSpan> timeline_of(const Training& training, const TrainingStep& step,
                                      const StepTimes& times) {
  const Seconds work = compute_time(step);
  const double slowness = work > Seconds{0} ? times.compute / work : 1;
  ComputeLane lane{times.whole.begin, slowness};
  for (int pass = 1; pass <= step.passes; ++pass) {
    const std::string suffix = step.passes > 1 ? fmt::format(", pass {}", pass) : "";
    add_forward(lane, training, step, times, pass == 1, suffix);
    for (std::size_t i = step.layers.size(); i-- > 0;) {
      lane.add("backward " + training.layers[i].name + suffix, step.layers[i].backward);
    }
  }
  if (step.optimizer > Seconds{0}) {
    lane.begin_at(times.whole.end - slowness * step.optimizer);
    lane.add("optimizer", step.optimizer);
  }
  std::vector<TimelineSpan> spans = std::move(lane).spans();
  for (std::size_t i = 0; i < times.gathers.size(); ++i) {
    const std::size_t bucket = times.gathers.size() - 1 - i;
    spans.push_back({true, "weights of " + name_of_bucket(training, step.buckets[bucket], bucket),
                     times.gathers[i]});
  }
  for (std::size_t i = 0; i < times.allreduces.size(); ++i) {
    spans.push_back({true, name_of_bucket(training, step.buckets[i], i), times.allreduces[i]});
  }
  return spans;
}

}  // namespace ringcast
