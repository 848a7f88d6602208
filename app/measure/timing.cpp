#include "app/measure/timing.hpp"

#include <algorithm>
#include <cmath>

#include "app/common/mapped.hpp"
#include "app/common/median.hpp"
#include "app/measure/rank_group.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// The timing on one rank.
class Stopwatch {
 public:
  Stopwatch(RankContext& self, RepeatedWork& work, const TimingOptions& options)
      : self_{self},
        work_{work},
        group_{self, static_cast<std::size_t>(std::max(1, options.repetitions))} {}

  void run_checked() {
    work_.fill();
    run();
    work_.verify();
  }

  /// The time of one run on this rank.
  Seconds run(std::optional<int> repetition = {}) {
    group_.barrier();
    const Seconds begin = self_.network.now();
    work_.run(repetition);
    return self_.network.now() - begin;
  }

  /// For each of these times, that of the slowest rank.
  std::vector<Seconds> slowest(const std::vector<double>& mine) {
    return mapped(group_.max_of(mine), [](double time) { return Seconds{time}; });
  }

 private:
  RankContext& self_;
  RepeatedWork& work_;
  RankGroup group_;
};

class CollectiveWork final : public RepeatedWork {
 public:
  CollectiveWork(RankContext& self, const Collective& collective, const CheckedData& data)
      : self_{self}, collective_{collective}, data_{data} {}
  void fill() override { data_.fill(self_.memory, self_.network.rank()); }
  void verify() const override { data_.verify_allreduce(self_.memory, self_.network.rank()); }
  void run(std::optional<int> /*repetition*/) override {
    collective_.run({data_.buffer, data_.elements}, self_);
  }

 private:
  RankContext& self_;
  const Collective& collective_;
  const CheckedData& data_;
};

/// The number of runs of length `one` that fit into `time`, from `least` to `wanted`.
int affordable(int wanted, int least, Seconds time, Seconds one) {
  if (static_cast<double>(wanted) * one <= time) {
    return wanted;
  }
  return std::min(wanted, std::max(least, static_cast<int>(time / one)));
}

}  // namespace

Timing time_repeatedly(RankContext& self, RepeatedWork& work, const TimingOptions& options,
                       const ReportRuns& report) {
  expect(options.repetitions > 0 && options.warmup >= 0, "{} repetitions after {}",
         options.repetitions, options.warmup);
  Stopwatch watch{self, work, options};
  if (options.check) {
    watch.run_checked();
  } else {
    work.fill();
  }
  // The first run touches pages and opens connections; the second determines how many fit.
  int warmup = options.warmup;
  int repetitions = options.repetitions;
  std::vector<double> mine;
  for (int ended = 0; ended < warmup + repetitions;) {
    const bool counts = ended >= warmup;
    mine.push_back(watch.run(counts ? std::optional{ended - warmup} : std::nullopt).count());
    ++ended;
    if (ended <= 2) {
      const Seconds one = watch.slowest({mine.back()}).front();
      if (!counts) warmup = affordable(options.warmup, ended, options.budget / 4, one);
      repetitions = affordable(options.repetitions, fewest_repetitions, options.budget, one);
    }
    if (report) report(ended, warmup + repetitions);
  }
  mine.erase(mine.begin(), mine.begin() + warmup);
  Timing timing{watch.slowest(mine), options.check};
  if (options.check) {
    watch.run_checked();
  }
  return timing;
}

Timing time_collective(RankContext& self, const Collective& collective, const CheckedData& data,
                       const TimingOptions& options, const ReportRuns& report) {
  CollectiveWork work{self, collective, data};
  return time_repeatedly(self, work, options, report);
}

TimeSummary summary_of(const std::vector<Seconds>& times) {
  expect(!times.empty(), "no times");
  const auto [least, most] = std::ranges::minmax(times);
  return {Seconds{median(mapped(times, [](Seconds time) { return time.count(); }))}, least, most};
}

}  // namespace ringcast
