#include "app/measure/timing.hpp"

#include <atomic>
#include <cmath>

#include <gtest/gtest.h>

#include "app/measure/rank_group.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/error.hpp"
#include "tests/engine/reference/reference_transport.hpp"

namespace ringcast {
namespace {

constexpr Reduction sum_of_floats{};

std::unique_ptr<Collective> ring(int ranks) {
  return make_allreduce("ring", {{RingOrder::identity(ranks)}, std::nullopt});
}

/// Times `collective` on the reference backend; what rank 0 was told.
Timing timed(int ranks, std::uint64_t elements, const Collective& collective,
             const TimingOptions& options, const ReportRuns& report = {}) {
  Timing found;
  ReferenceTransport transport{ranks, sum_of_floats};
  transport.run([&](RankContext& self) {
    const CheckedData data{self.memory.allocate(elements * 4_B), elements, sum_of_floats, ranks};
    const bool first = self.network.rank() == Rank{0};
    Timing timing = time_collective(self, collective, data, options, first ? report : ReportRuns{});
    if (first) {
      found = std::move(timing);
    }
  });
  return found;
}

TEST(RankGroup, EndsABarrierAfterAllRanksHaveEntered) {
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8}) {
    std::atomic<int> entered = 0;
    ReferenceTransport transport{ranks, sum_of_floats};
    transport.run([&](RankContext& self) {
      RankGroup group{self, 1};
      for (int round = 1; round <= 3; ++round) {
        ++entered;
        group.barrier();
        EXPECT_GE(entered, round * ranks);
        group.barrier();
      }
    });
  }
}

TEST(RankGroup, GivesEveryRankTheGreatestValues) {
  for (const int ranks : {1, 2, 3, 5, 6, 8}) {
    ReferenceTransport transport{ranks, sum_of_floats};
    transport.run([&](RankContext& self) {
      RankGroup group{self, 3};
      const double me = index_of(self.network.rank());

      const std::vector<double> found = group.max_of({me, -me, std::fmod(me * 3, ranks)});

      const double most = ranks - 1;
      EXPECT_EQ(found[0], most);
      EXPECT_EQ(found[1], 0);
      // 3 me mod n takes all values unless 3 divides n; then those that 3 divides.
      EXPECT_EQ(found[2], ranks % 3 == 0 ? ranks - 3 : most);
      EXPECT_TRUE(group.max_of({}).empty());
    });
  }
}

TEST(Timing, RunsAsOftenAsItIsTold) {
  TimingOptions options;
  options.warmup = 2;
  options.repetitions = 5;
  options.budget = Seconds{1000};
  std::vector<std::pair<int, int>> reports;

  const Timing timing = timed(3, 1000, *ring(3), options,
                              [&reports](int ended, int all) { reports.emplace_back(ended, all); });

  EXPECT_EQ(timing.times.size(), 5U);
  EXPECT_TRUE(timing.verified);
  EXPECT_EQ(reports.size(), 7U);
  EXPECT_EQ(reports.back(), (std::pair{7, 7}));
  for (const Seconds time : timing.times) {
    EXPECT_GT(time, Seconds{0});
  }
}

TEST(Timing, WorksAtTheCorners) {
  for (const int ranks : {1, 2, 3, 7}) {
    for (const std::uint64_t elements : {0U, 1U, 2U, 5U}) {
      EXPECT_TRUE(timed(ranks, elements, *ring(ranks), {}).verified);
    }
  }
}

TEST(Timing, SaysThatNothingWasCheckedWhereThatIsSo) {
  TimingOptions options;
  options.check = false;

  EXPECT_FALSE(timed(2, 10, *ring(2), options).verified);
}

/// Takes a time of its own on each rank.
class Sleep final : public Collective {
 public:
  explicit Sleep(Seconds time) : time_{time} {}
  [[nodiscard]] std::string_view name() const override { return "sleep"; }
  void run(const CollectiveRequest& /*request*/, RankContext& self) const override {
    const double share = index_of(self.network.rank()) + 1;
    self.processor.compute(share * time_).wait();
  }

 private:
  Seconds time_;
};

TEST(Timing, CountsTheSlowestRank) {
  TimingOptions options;
  options.check = false;
  options.repetitions = 3;

  // The third of three ranks takes 3 x 2 ms.
  for (const Seconds time : timed(3, 1, Sleep{Seconds{0.002}}, options).times) {
    EXPECT_GE(time, Seconds{0.006});
  }
}

TEST(Timing, RepeatsLessOftenWhereTheTimeDoesNotAllowIt) {
  TimingOptions options;
  options.check = false;
  options.warmup = 50;
  options.repetitions = 1000;
  options.budget = Seconds{0.02};
  int all = 0;

  // At least 4 ms a run: at most 5 runs in 20 ms, and at most 1 in a quarter of it.
  const Timing timing =
      timed(2, 1, Sleep{Seconds{0.002}}, options, [&all](int /*ended*/, int runs) { all = runs; });

  EXPECT_GE(timing.times.size(), static_cast<std::size_t>(fewest_repetitions));
  EXPECT_LE(timing.times.size(), 5U);
  EXPECT_EQ(all, static_cast<int>(timing.times.size()) + 1);
}

TEST(Timing, TakesNoLongerWithoutWarmingUp) {
  TimingOptions options;
  options.check = false;
  options.warmup = 0;
  options.repetitions = 1000;
  options.budget = Seconds{0.02};

  // At least 4 ms a run.
  EXPECT_LE(timed(2, 1, Sleep{Seconds{0.002}}, options).times.size(), 5U);
}

/// Adds nothing up.
class Lazy final : public Collective {
 public:
  [[nodiscard]] std::string_view name() const override { return "lazy"; }
  void run(const CollectiveRequest& /*request*/, RankContext& /*self*/) const override {}
};

TEST(Timing, FindsWrongSums) {
  EXPECT_THROW(static_cast<void>(timed(2, 100, Lazy{}, {})), WrongResult);
}

TEST(TimeSummary, HasTheMiddleTime) {
  const TimeSummary odd = summary_of({Seconds{5}, Seconds{1}, Seconds{2}});
  EXPECT_EQ(odd.median, Seconds{2});
  EXPECT_EQ(odd.min, Seconds{1});
  EXPECT_EQ(odd.max, Seconds{5});
  // (2 + 4) / 2
  EXPECT_EQ(summary_of({Seconds{4}, Seconds{1}, Seconds{9}, Seconds{2}}).median, Seconds{3});
  EXPECT_EQ(summary_of({Seconds{7}}).median, Seconds{7});
  EXPECT_THROW(static_cast<void>(summary_of({})), ContractViolation);
}

}  // namespace
}  // namespace ringcast
