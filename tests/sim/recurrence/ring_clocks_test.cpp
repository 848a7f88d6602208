#include "sim/recurrence/ring_clocks.hpp"

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"
#include "sim/fluid/fluid_transport.hpp"
#include "sim/folding/folding.hpp"
#include "tests/sim/machines.hpp"
#include "tests/sim/random_jobs.hpp"

namespace ringcast {
namespace {

using testing::RandomJob;
using testing::RandomJobs;

/// Iterations of two layers and three buckets, the last two of which have the same elements.
struct TwoLayers {
  TrainingStep step;
  std::vector<double> slowness;  // of each rank

  TwoLayers(int ranks, std::uint64_t elements, std::mt19937& random) {
    step.layers = {{2_us, 50_us}, {3_us, 400_us}};
    step.buckets = {{1, 1, 2 * elements}, {0, 0, elements}, {0, 0, elements}};
    step.optimizer = 5_us;
    step.overlap = random() % 2 == 0;
    step.weights_before_forward = random() % 2 == 0;
    step.workers = ranks;
    slowness.assign(static_cast<std::size_t>(ranks), 1.0);
    if (random() % 2 == 0) slowness[random() % slowness.size()] = 1.25;
  }
  [[nodiscard]] bool are_ranks_alike() const {
    return std::ranges::all_of(slowness, [](double each) { return each == 1; });
  }
  [[nodiscard]] StepTimes iterate(const BucketCollectives& collectives, RankContext& self) const {
    const auto me = static_cast<std::size_t>(index_of(self.network.rank()));
    return TrainingRank{step, collectives, self}.iterate(slowness[me]);
  }
};

struct Trained {
  Seconds time;
  std::vector<StepTimes> times;
  std::vector<Interval> calls = {};
};

Trained by_fluid_flows(const TransferPaths& paths, const RandomJob& job, const TwoLayers& layers) {
  const AllreduceHalves halves =
      layers.step.weights_before_forward
          ? make_allreduce_halves("ring", job.options)
          : AllreduceHalves{make_allreduce("ring", job.options), nullptr};
  const BucketCollectives collectives{halves.reduce.get(), halves.gather.get()};
  const RankProgram dry = [&](RankContext& self) {
    static_cast<void>(layers.iterate(collectives, self));
  };
  const Folding folding{paths, job.ranks, dry_run(job.ranks, Reduction{}, dry), Symmetry::none};
  SimOptions options;
  options.program_is_a_call = false;
  FluidTransport transport{paths, job.ranks, folding.job(), Reduction{}, options};
  const auto reduce = transport.with_call_costs(*halves.reduce);
  const auto gather = halves.gather ? transport.with_call_costs(*halves.gather) : nullptr;
  Trained all{Seconds{0}, std::vector<StepTimes>(static_cast<std::size_t>(job.ranks))};
  transport.run([&](RankContext& self) {
    all.times[static_cast<std::size_t>(index_of(self.network.rank()))] =
        layers.iterate({reduce.get(), gather.get()}, self);
  });
  all.time = transport.time();
  return all;
}

Trained by_recurrence(RingClocks& clocks, const TwoLayers& layers, ChannelRecurrence::Bound bound) {
  Trained all{Seconds{0}, std::vector<StepTimes>(layers.slowness.size())};
  CallTimes times = clocks.run(
      [&](const BucketCollectives& collectives, RankContext& self) {
        all.times[static_cast<std::size_t>(index_of(self.network.rank()))] =
            layers.iterate(collectives, self);
      },
      layers.step.weights_before_forward, bound);
  all.time = times.last_end;
  all.calls = std::move(times.calls);
  for (std::size_t rank = 0; rank < all.times.size(); ++rank) {
    const Rank other = clocks.representative(Rank{static_cast<int>(rank)});
    all.times[rank] = all.times[static_cast<std::size_t>(index_of(other))];
  }
  return all;
}

/// Every begin and end of `longer` is no earlier than of `shorter`.
void expect_in_order(const Trained& shorter, const Trained& longer) {
  constexpr double rounding = 1e-12;
  const auto expect_before = [](const Interval& a, const Interval& b) {
    EXPECT_LE(a.begin, (1 + rounding) * b.begin);
    EXPECT_LE(a.end, (1 + rounding) * b.end);
  };
  EXPECT_LE(shorter.time, (1 + rounding) * longer.time);
  for (std::size_t rank = 0; rank < shorter.times.size(); ++rank) {
    const StepTimes& a = shorter.times[rank];
    const StepTimes& b = longer.times[rank];
    expect_before(a.whole, b.whole);
    ASSERT_EQ(a.gathers.size(), b.gathers.size());
    ASSERT_EQ(a.allreduces.size(), 3U);
    for (std::size_t i = 0; i < a.gathers.size(); ++i)
      expect_before(a.gathers[i], b.gathers[i]);
    for (std::size_t i = 0; i < a.allreduces.size(); ++i)
      expect_before(a.allreduces[i], b.allreduces[i]);
  }
}

/// The times that ranks spend in all-reduces differ no more from the true ones than is said.
void expect_in_bound(const Trained& least, const Trained& most, const Trained& fluid) {
  constexpr double rounding = 1e-12;
  const double error = RingClocks::error({least.time, least.calls}, {most.time, most.calls});
  for (std::size_t rank = 0; rank < fluid.times.size(); ++rank) {
    const Seconds time = most.times[rank].in_allreduces();
    EXPECT_NEAR(fluid.times[rank].in_allreduces() / time, 1, error + rounding);
  }
}

struct Compared {
  int exact = 0;
  int bounded = 0;
};

/// Compares one iteration of a job's ranks, if it is one of rings by recurrence.
void compare(const RandomJob& job, std::mt19937& random, Compared& compared) {
  const Topology topology = job.topology();
  const TransferPaths paths{topology, job.profile,
                            places_of_ranks(topology, job.ranks, job.profile)};
  const std::uint64_t elements = job.size.count() / 4;
  const TwoLayers layers{job.ranks, elements, random};
  RingClocks clocks{paths,
                    {job.options.channels,
                     Reduction{},
                     {2 * elements, elements, elements},
                     layers.are_ranks_alike()}};
  if (!clocks.is_applicable()) return;
  const Trained fluid = by_fluid_flows(paths, job, layers);
  const Trained least = by_recurrence(clocks, layers, ChannelRecurrence::Bound::least);
  const Trained most = by_recurrence(clocks, layers, ChannelRecurrence::Bound::most);

  expect_in_order(least, fluid);
  expect_in_order(fluid, most);
  expect_in_bound(least, most, fluid);
  if (clocks.is_exact()) {
    EXPECT_EQ(least.time, most.time);
  }
  // Three all-reduces, whole or in halves.
  std::uint64_t messages = 0;
  for (const PairTraffic& pair : clocks.traffic()) {
    messages += pair.messages;
  }
  const auto n = static_cast<std::uint64_t>(job.ranks);
  EXPECT_EQ(messages, 3 * 2 * n * (n - 1) * job.options.channels.size());
  ++(clocks.is_exact() ? compared.exact : compared.bounded);
}

TEST(RingClocks, BoundTheTimesOfAnIteration) {
  RandomJobs jobs{20261124};
  std::mt19937 random{2};
  Compared compared;
  while (compared.exact < 10 || compared.bounded < 10) {
    RandomJob job = jobs.regular();
    if (random() % 3 == 0) job.size += Bytes{4 * (random() % 100)};  // chunks that differ
    if (job.algorithm != "ring" || job.options.segment_size) continue;
    SCOPED_TRACE(job.text);
    try {
      compare(job, random, compared);
    } catch (const ScenarioError&) {
      continue;  // a fat tree that is too small
    }
  }
}

class RingClocksOnAStar : public ::testing::Test {
 protected:
  Topology topology_{testing::star(4, 10_GBps, 1_us)};
  TransportProfile profile_ = testing::free_of_cost();
  TransferPaths paths_{topology_, profile_, places_of_ranks(topology_, 4, profile_)};
  std::vector<RingOrder> rings_{RingOrder::identity(4)};
};

// 4 ranks, 6 steps of 1,000 elements over two cables of 1 us: 6 (2 us + 4,000 B / 10 GB/s) = 14.4
// us. One rank computes 5 us before; in the first step only its own two messages wait for it, and
// two steps later all do. So the last rank ends 5 us later.
TEST_F(RingClocksOnAStar, WaitForTheLastRank) {
  RingClocks clocks{paths_, {rings_, Reduction{}, {4000}, false}};
  ASSERT_TRUE(clocks.is_applicable());
  ASSERT_TRUE(clocks.is_exact());

  const CallTimes times = clocks.run(
      [](const BucketCollectives& collectives, RankContext& self) {
        if (self.network.rank() == Rank{2}) self.processor.compute(5_us).wait();
        collectives.reduce->run({self.memory.allocate(16'000_B), 4000}, self);
      },
      false, RingClocks::Bound::most);

  EXPECT_NEAR(times.last_end.count(), 19.4e-6, 1e-15);
}

// The same ring with 1,000 or 1,001 elements a step: each of two calls ends 6 x 4 B / 10 GB/s = 2.4
// ns later, and the second begins as much later. Its end moves by 4.8 ns in 28.8 us, which is one
// part in 6,000; the time in calls by up to 2.4 + 2.4 + 4.8 ns, without a computation the same 28.8
// us.
TEST_F(RingClocksOnAStar, BoundTheTimeInCalls) {
  RingClocks clocks{paths_, {rings_, Reduction{}, {4001}}};
  ASSERT_TRUE(clocks.is_applicable());
  ASSERT_FALSE(clocks.is_exact());
  const auto twice = [](const BucketCollectives& collectives, RankContext& self) {
    for (int call = 0; call < 2; ++call)
      collectives.reduce->run({self.memory.allocate(16'004_B), 4001}, self);
  };

  const auto least = clocks.run(twice, false, RingClocks::Bound::least);
  const auto most = clocks.run(twice, false, RingClocks::Bound::most);

  EXPECT_NEAR((most.last_end - least.last_end).count(), 4.8e-9, 1e-15);
  EXPECT_NEAR(RingClocks::error(least, most), 9.6e-9 / 28.8048e-6, 1e-12);
}

TEST_F(RingClocksOnAStar, AreExactIfAllCallsAre) {
  const RingClocks exact{paths_, {rings_, Reduction{}, {4000, 8000}}};
  EXPECT_TRUE(exact.is_exact());
  EXPECT_TRUE(exact.has_equal_chunks());
  const RingClocks bounded{paths_, {rings_, Reduction{}, {4000, 4001}}};
  EXPECT_FALSE(bounded.is_exact());
  EXPECT_FALSE(bounded.has_equal_chunks());
}

// Each of 4 ranks sends 6 messages of 4,000 B in the first call, and of 8,000 B in the second.
TEST_F(RingClocksOnAStar, CountTheBytesOfAllCalls) {
  RingClocks clocks{paths_, {rings_, Reduction{}, {4000, 8000}}};
  static_cast<void>(clocks.run(
      [](const BucketCollectives& collectives, RankContext& self) {
        for (const std::uint64_t elements : {4000U, 8000U})
          collectives.reduce->run({self.memory.allocate(elements * 4_B), elements}, self);
      },
      false, RingClocks::Bound::most));

  const std::vector<PairTraffic> traffic = clocks.traffic();

  ASSERT_EQ(traffic.size(), 4U);
  for (const PairTraffic& pair : traffic) {
    EXPECT_EQ(pair.messages, 12U);
    EXPECT_EQ(pair.bytes, 72'000_B);
    EXPECT_EQ(pair.on_cables, 72'000_B);
  }
}

TEST_F(RingClocksOnAStar, AreNotForReductionsThatSlowComputations) {
  profile_.compute_competition = 0.5;
  const TransferPaths paths{topology_, profile_, places_of_ranks(topology_, 4, profile_)};

  EXPECT_FALSE((RingClocks{paths, {rings_, Reduction{}, {4000}}}.is_applicable()));
}

TEST_F(RingClocksOnAStar, AreNotForFewerElementsThanRanks) {
  EXPECT_FALSE((RingClocks{paths_, {rings_, Reduction{}, {4000, 3}}}.is_applicable()));
  EXPECT_FALSE((RingClocks{paths_, {rings_, Reduction{}, {}}}.is_applicable()));
}

TEST_F(RingClocksOnAStar, RefuseOtherMessages) {
  RingClocks clocks{paths_, {rings_, Reduction{}, {4000}, false}};
  const auto sends = [](const BucketCollectives&, RankContext& self) {
    const Slice slice{self.memory.allocate(4_B), 0_B, 4_B};
    self.network.send(Rank{0}, slice, Tag{0}).wait();
  };

  EXPECT_THROW(static_cast<void>(clocks.run(sends, false, RingClocks::Bound::most)),
               ContractViolation);
}

TEST_F(RingClocksOnAStar, RethrowWhatARankThrowsWhileOthersAreInACall) {
  RingClocks clocks{paths_, {rings_, Reduction{}, {4000}, false}};
  const auto fails = [](const BucketCollectives& collectives, RankContext& self) {
    if (self.network.rank() == Rank{1}) throw TransportError{"one fails"};
    collectives.reduce->run({self.memory.allocate(16'000_B), 4000}, self);
  };

  EXPECT_THROW(static_cast<void>(clocks.run(fails, false, RingClocks::Bound::most)),
               TransportError);
}

}  // namespace
}  // namespace ringcast
