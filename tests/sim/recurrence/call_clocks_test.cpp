#include "sim/recurrence/call_clocks.hpp"

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"
#include "sim/recurrence/ring_clocks.hpp"
#include "tests/sim/machines.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

void call(const Collective* collective, std::uint64_t elements, RankContext& self) {
  collective->run({self.memory.allocate(elements * 4_B), elements}, self);
}

/// Two ranks, whose calls take a second from the later begin on.
CallTimes run_of_two(const ClockedProgram& program) {
  const TransportProfile profile = testing::free_of_cost();
  const auto advance = [](const CollectiveCall&, std::vector<double>& clocks) {
    clocks.assign(clocks.size(), std::ranges::max(clocks) + 1);
  };
  return run_between_calls({{Rank{0}, Rank{1}}, 2, Reduction{}, profile, advance}, program, false);
}

TEST(CallClocks, AddUpTheTimesOfARanksCalls) {
  const CallTimes times = run_of_two([](const BucketCollectives& collectives, RankContext& self) {
    if (self.network.rank() == Rank{0}) self.processor.compute(Seconds{5}).wait();
    call(collectives.reduce, 4, self);  // from 5 and 0 s to 6 s
    call(collectives.reduce, 4, self);  // to 7 s
    if (self.network.rank() == Rank{0}) self.processor.compute(Seconds{2}).wait();
  });

  EXPECT_EQ(times.last_end, Seconds{9});
  ASSERT_EQ(times.calls.size(), 2U);
  EXPECT_EQ(times.calls[0].length(), Seconds{(6 - 5) + (7 - 6)});
  EXPECT_EQ(times.calls[1].length(), Seconds{(6 - 0) + (7 - 6)});
}

TEST(CallClocks, RefuseRanksInDifferentCalls) {
  EXPECT_THROW(run_of_two([](const BucketCollectives& collectives, RankContext& self) {
                 call(collectives.reduce, self.network.rank() == Rank{0} ? 4 : 8, self);
               }),
               ContractViolation);
}

TEST(CallClocks, RefuseRanksThatEndWhileOthersAreInACall) {
  EXPECT_THROW(run_of_two([](const BucketCollectives& collectives, RankContext& self) {
                 if (self.network.rank() == Rank{0}) call(collectives.reduce, 4, self);
               }),
               ContractViolation);
}

TEST(CallClocks, RethrowTheFirstFailure) {
  try {
    run_of_two([](const BucketCollectives&, RankContext& self) {
      throw TransportError{fmt::format("rank {}", index_of(self.network.rank()))};
    });
    ADD_FAILURE() << "no failure";
  } catch (const TransportError& error) {
    EXPECT_STREQ(error.what(), "rank 0");
  }
}

/// Rings of four ranks over cables of 1 us and 10 GB/s.
class ClockedRings : public ::testing::Test {
 protected:
  [[nodiscard]] RingClocks clocks(std::vector<std::uint64_t> elements) const {
    return {paths_, {rings_, Reduction{}, std::move(elements)}};
  }
  static double end_of_one_call(RingClocks& clocks, std::uint64_t elements) {
    const auto program = [=](const BucketCollectives& collectives, RankContext& self) {
      call(collectives.reduce, elements, self);
    };
    return clocks.run(program, false, RingClocks::Bound::most).last_end.count();
  }

  Topology topology_{testing::star(4, 10_GBps, 1_us)};
  TransportProfile profile_ = testing::free_of_cost();
  TransferPaths paths_{topology_, profile_, places_of_ranks(topology_, 4, profile_)};
  std::vector<RingOrder> rings_{3, RingOrder::identity(4)};
};

// Three channels have 18 messages of a rank, of 10 us of overhead each: one after the other where
// one processor handles them. With a tuner each channel has its own: 6 steps of 12 us, and up to
// three messages of 4 B on a cable at 10 GB/s, 1.2 ns.
TEST_F(ClockedRings, TakeTheOverheadsOfAllChannelsWithoutATuner) {
  profile_.message_overhead = 10_us;
  paths_ = {topology_, profile_, places_of_ranks(topology_, 4, profile_)};
  RingClocks together = clocks({12});
  EXPECT_NEAR(end_of_one_call(together, 12), 180e-6, 1e-15);

  profile_.tuner = Tuner::nccl;
  paths_ = {topology_, profile_, places_of_ranks(topology_, 4, profile_)};
  RingClocks apart = clocks({12});
  EXPECT_NEAR(end_of_one_call(apart, 12), 6 * (12e-6 + 1.2e-9), 1e-15);
}

// Half of an all-reduce: 3 messages of a rank on each of 3 channels. Half of the bytes on the
// cables are payload.
TEST_F(ClockedRings, CountTheMessagesOfHalves) {
  profile_.protocols = {{.algorithm = "ring", .name = "half", .efficiency = 0.5}};
  paths_ = {topology_, profile_, places_of_ranks(topology_, 4, profile_)};
  RingClocks halves = clocks({12'000});
  static_cast<void>(halves.run([](const BucketCollectives& collectives,
                                  RankContext& self) { call(collectives.reduce, 12'000, self); },
                               true, RingClocks::Bound::most));

  const std::vector<PairTraffic> traffic = halves.traffic();

  ASSERT_EQ(traffic.size(), 12U);
  for (const PairTraffic& pair : traffic) {
    EXPECT_EQ(pair.messages, 3U);
    EXPECT_EQ(pair.bytes, 12'000_B);
    EXPECT_EQ(pair.on_cables, 24'000_B);
  }
}

TEST_F(ClockedRings, RefuseCallsThatTheyDoNotKnow) {
  RingClocks known = clocks({12});
  EXPECT_THROW(end_of_one_call(known, 24), ContractViolation);
  RingClocks none = clocks({3});
  EXPECT_THROW(end_of_one_call(none, 3), ContractViolation);
}

TEST(RingClocksError, IsThatOfTheLastEndOrOfARanksTimeInCalls) {
  const CallTimes least{Seconds{8}, {{Seconds{1}, Seconds{5}}, {Seconds{1}, Seconds{7}}}};
  const CallTimes most{Seconds{10}, {{Seconds{1}, Seconds{5}}, {Seconds{1}, Seconds{7}}}};
  EXPECT_DOUBLE_EQ(RingClocks::error(least, most), 0.2);

  // (2 - 1) + (6 - 5) of 4 s.
  const CallTimes later{Seconds{10}, {{Seconds{2}, Seconds{6}}, {Seconds{1}, Seconds{7}}}};
  EXPECT_DOUBLE_EQ(RingClocks::error(least, later), 0.5);
}

}  // namespace
}  // namespace ringcast
