#include "app/measure/measure_training.hpp"

#include <algorithm>

#include "app/measure/rank_group.hpp"
#include "app/report/training_iterations.hpp"

namespace ringcast {

namespace {

/// The iterations of one rank, with the times of each.
class Iterations final : public RepeatedWork {
 public:
  Iterations(RankContext& self, const BucketCollectives& collectives,
             const PlannedTraining& planned, const Training& training)
      : self_{self}, noise_{training.noise}, rank_{planned.step, collectives, self} {}

  void fill() override { rank_.fill(); }
  void verify() const override { rank_.verify(); }
  void run(std::optional<int> repetition) override {
    const auto number = static_cast<std::uint64_t>(repetition.value_or(0));
    StepTimes times = rank_.iterate(slowness(noise_, self_.network.rank(), number));
    if (repetition) {
      times_.push_back(std::move(times));
    }
  }
  /// Relative to the begin of the iteration.
  [[nodiscard]] StepTimes times_of(std::size_t repetition) const {
    StepTimes times = times_[repetition];
    const Seconds begin = times.whole.begin;
    const auto move = [begin](Interval& interval) {
      interval = {interval.begin - begin, interval.end - begin};
    };
    move(times.whole);
    std::ranges::for_each(times.allreduces, move);
    std::ranges::for_each(times.gathers, move);
    return times;
  }

 private:
  RankContext& self_;
  const ComputationNoise& noise_;
  TrainingRank rank_;
  std::vector<StepTimes> times_;  // of each repetition
};

/// Exchanges the times of all ranks. Collective.
class Exchange {
 public:
  Exchange(RankContext& self, std::size_t buckets)
      : me_{static_cast<std::size_t>(index_of(self.network.rank()))},
        ranks_{static_cast<std::size_t>(self.network.size())},
        group_{self, std::max(ranks_ * parts, 2 * buckets)} {}

  /// An all-gather by maximum: each rank has zeros in the places of the others.
  std::vector<RankIteration> of_all(const StepTimes& mine) {
    std::vector<double> values(ranks_ * parts, 0);
    values[me_ * parts] = mine.whole.end.count();
    values[me_ * parts + 1] = mine.compute.count();
    values[me_ * parts + 2] = mine.in_allreduces().count();
    values = group_.max_of(std::move(values));
    std::vector<RankIteration> all;
    all.reserve(ranks_);
    for (std::size_t i = 0; i < values.size(); i += parts) {
      all.push_back({Seconds{values[i]}, Seconds{values[i + 1]}, Seconds{values[i + 2]}});
    }
    return all;
  }

  /// The intervals of one rank, on every rank; `mine` has the same length on every rank.
  std::vector<Interval> of_one(Rank rank, const std::vector<Interval>& mine) {
    std::vector<double> values(2 * mine.size(), 0);
    if (static_cast<std::size_t>(index_of(rank)) == me_) {
      for (std::size_t i = 0; i < mine.size(); ++i) {
        values[2 * i] = mine[i].begin.count();
        values[2 * i + 1] = mine[i].end.count();
      }
    }
    values = group_.max_of(std::move(values));
    std::vector<Interval> intervals;
    intervals.reserve(mine.size());
    for (std::size_t i = 0; i < values.size(); i += 2) {
      intervals.push_back({Seconds{values[i]}, Seconds{values[i + 1]}});
    }
    return intervals;
  }

 private:
  static constexpr std::size_t parts = 3;
  std::size_t me_;
  std::size_t ranks_;
  RankGroup group_;
};

/// The row of all repetitions, the same on every rank.
Row row_of(RankContext& self, const Iterations& iterations, std::size_t repetitions,
           const PlannedTraining& planned, const Training& training, std::optional<Rank> timeline) {
  Exchange exchange{self, planned.step.buckets.size()};
  std::vector<Row> rows(repetitions);
  for (std::size_t i = 0; i < repetitions; ++i) {
    rows[i].cell = planned.cell;
    TrainingIteration& iteration = rows[i].iteration.emplace();
    iteration.one_gpu_samples_per_s = planned.one_gpu_samples_per_s;
    const StepTimes mine = iterations.times_of(i);
    const std::vector<RankIteration> all = exchange.of_all(mine);
    set_times(rows[i], all);
    if (timeline) {
      const RankIteration& one = all[static_cast<std::size_t>(index_of(*timeline))];
      iteration.timeline = timeline_of(training, planned.step,
                                       {{Seconds{0}, one.whole},
                                        one.compute,
                                        exchange.of_one(*timeline, mine.allreduces),
                                        exchange.of_one(*timeline, mine.gathers)});
    }
  }
  return merged(std::move(rows));
}

}  // namespace

Row measure_training(Transport& transport, const BucketCollectives& collectives,
                     const PlannedTraining& planned, const Training& training,
                     const TimingOptions& options, std::optional<Rank> timeline,
                     const ReportRuns& report) {
  Row measured;
  transport.run([&](RankContext& self) {
    const bool first = self.network.rank() == Rank{0};
    Iterations iterations{self, collectives, planned, training};
    const Timing timing = time_repeatedly(self, iterations, options, first ? report : ReportRuns{});
    Row row = row_of(self, iterations, timing.times.size(), planned, training, timeline);
    row.verified = timing.verified;
    if (first) {
      measured = std::move(row);
    }
  });
  return measured;
}

Seconds measure_broadcast(Transport& transport, const PlannedTraining& planned,
                          const TimingOptions& options) {
  Seconds median{0};
  const std::unique_ptr<Collective> broadcast = broadcast_of(planned);
  TimingOptions unchecked = options;
  unchecked.check = false;
  transport.run([&](RankContext& self) {
    const Cell& cell = planned.cell;
    const CheckedData weights{self.memory.allocate(cell.size), element_count(planned.cell),
                              cell.reduction, cell.ranks};
    const Timing timing = time_collective(self, *broadcast, weights, unchecked);
    if (self.network.rank() == Rank{0}) {
      median = summary_of(timing.times).median;
    }
  });
  return median;
}

}  // namespace ringcast
