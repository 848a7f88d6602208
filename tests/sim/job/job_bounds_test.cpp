#include <initializer_list>

#include <gtest/gtest.h>

#include "sim/job/simulated_job.hpp"
#include "tests/sim/machines.hpp"

namespace ringcast {
namespace {

SimulatedJob job_on(const Topology& topology, const TransportProfile& profile) {
  return {topology, topology.ranks(), profile, Reduction{}, {}, Fidelity::cheapest};
}

/// Ring all-reduces of four ranks, one after the other, in chunks of these numbers of float32.
RankProgram rings_of(std::initializer_list<std::uint64_t> chunks) {
  return [programs = [&] {
    std::vector<RankProgram> all;
    for (const std::uint64_t chunk : chunks)
      all.push_back(testing::ring_program(4, 4 * chunk));
    return all;
  }()](RankContext& self) {
    for (const RankProgram& program : programs)
      program(self);
  };
}

/// Half of the bytes on the cables are payload.
TransportProfile half_as_efficient() {
  TransportProfile profile = testing::free_of_cost();
  profile.protocols = {{.algorithm = "ring", .name = "half", .efficiency = 0.5}};
  return profile;
}

/// The first protocol of 10 GB/s has a latency of 2.5 us at least, the second half of the rate.
/// Over the cables of 4 us of one GPU the first is the faster one for all lengths; over those of 2
/// us of the others from 0.5 us, 5,000 B, on.
class TwoProtocols : public ::testing::Test {
 protected:
  /// A ring of messages of so many float32, with the longest latencies for all.
  RankProgram fold(std::uint64_t chunk) {
    const RankProgram program = rings_of({chunk});
    job_.fold(program, Symmetry::but_latency);
    return program;
  }
  static Cluster cluster() {
    Cluster cluster = testing::star(4, 10_GBps, 1_us);
    cluster.cables[0].latency = 3_us;
    return cluster;
  }
  static TransportProfile profile() {
    TransportProfile profile = half_as_efficient();
    profile.protocols.push_back(
        {.algorithm = "ring", .name = "one", .latencies = {{PathKind::p2p, Seconds{2.5e-6}}}});
    return profile;
  }

  Topology topology_{cluster()};
  TransportProfile profile_ = profile();
  SimulatedJob job_ = job_on(topology_, profile_);
};

// 5,004 B, and 4,998 B if they are 0.1 % shorter.
TEST_F(TwoProtocols, HaveNoBoundsIfAShorterMessageOnAQuickerPathHasTheOther) {
  const RankProgram program = fold(1251);

  EXPECT_TRUE(job_.bounds(program, 0));
  EXPECT_FALSE(job_.bounds(program, 1e-3));
}

TEST_F(TwoProtocols, HaveNoMiddleIfOtherLatenciesChooseTheOther) {
  EXPECT_FALSE(job_.run_between_bounds(fold(1000), 1));
}

// Two exchanges with one partner after the other: at any time a rank's cable has one message. With
// 16,000 B, halves take 0.8 us, quarters 0.4 us, there and back.
TEST(JobBounds, CountTheMessagesThatAreUnderWayAtOneTime) {
  const Topology topology{testing::star(4, 10_GBps, 0_us)};
  const TransportProfile profile = testing::free_of_cost();
  SimulatedJob job = job_on(topology, profile);
  const RankProgram program = [](RankContext& self) {
    make_allreduce("recursive-halving-doubling", {{RingOrder::identity(4)}, std::nullopt})
        ->run({self.memory.allocate(16'000_B), 4000}, self);
  };
  job.fold(program);

  const auto bounds = job.bounds(program, 1e-3);

  ASSERT_TRUE(bounds);
  EXPECT_NEAR(bounds->least.count(), (1 - 1e-3) * 2.4e-6, 1e-15);
  EXPECT_NEAR(bounds->most.count(), 2.4e-6, 1e-15);
}

// A chunk of 4,000 B takes 0.4 us, 2 (4 - 1) times. Two of the four hops cross the cable of 3 us
// beside one of 1 us; the other two cross two of 1 us.
TEST(JobBounds, HaveTheLongestLatenciesForAllAndTheShortestAtLeast) {
  Cluster cluster = testing::star(4, 10_GBps, 1_us);
  cluster.cables[0].latency = 3_us;
  const Topology topology{cluster};
  const TransportProfile profile = testing::free_of_cost();
  SimulatedJob job = job_on(topology, profile);
  const RankProgram program = testing::ring_program(4, 4000);
  EXPECT_EQ(job.fold(program), 4);
  EXPECT_EQ(job.fold(program, Symmetry::but_latency), 1);
  job.run(program);

  const auto bounds = job.bounds(program, 0);

  EXPECT_NEAR(job.report().time.count(), 6 * 4.4e-6, 1e-15);
  EXPECT_EQ(job.found_by(), "folded to 1 of 4, longest latencies");
  ASSERT_TRUE(bounds);
  EXPECT_NEAR(bounds->least.count(), 6 * 2.4e-6, 1e-15);
  EXPECT_NEAR(bounds->most.count(), 6 * 4.4e-6, 1e-15);
}

// 4,000 B take 0.4 us, or 0.8 us by the second protocol, which has the latency of the cables; the
// first has 2.5 us at least. Over cables of 2 us 2.8 us are less than 2.9 us, over those of 4 us
// the first takes 4.4 of 4.8 us.
TEST(JobBounds, AreNoneIfOtherLatenciesChooseAnotherProtocol) {
  Cluster cluster = testing::star(4, 10_GBps, 1_us);
  cluster.cables[0].latency = 3_us;
  const Topology topology{cluster};
  TransportProfile profile = testing::free_of_cost();
  profile.protocols = {
      {.algorithm = "ring", .name = "one", .latencies = {{PathKind::p2p, Seconds{2.5e-6}}}},
      {.algorithm = "ring", .name = "other", .efficiency = 0.5}};
  SimulatedJob job = job_on(topology, profile);
  const RankProgram program = testing::ring_program(4, 4000);
  job.fold(program, Symmetry::but_latency);
  EXPECT_TRUE(job.has_longest_latencies());

  EXPECT_FALSE(job.bounds(program, 0));
}

// 4,000 and 8,000 B, with as much beside them, take 0.8 and 1.6 us, 2 (4 - 1) times each. A part of
// them that is 0.1 % shorter is rounded to bytes of payload: by another 1/4,000 at most.
TEST(JobBounds, CountTheRoundingOfTheShortestMessage) {
  const Topology topology{testing::star(4, 10_GBps, 0_us)};
  const TransportProfile profile = half_as_efficient();
  SimulatedJob job = job_on(topology, profile);
  const RankProgram program = rings_of({1000, 2000});
  job.fold(program);

  const auto bounds = job.bounds(program, 1e-3);

  ASSERT_TRUE(bounds);
  EXPECT_NEAR(bounds->least.count(), (1 - 1e-3 - 1.0 / 4000) * 14.4e-6, 1e-15);
  EXPECT_NEAR(bounds->most.count(), 14.4e-6, 1e-15);
}

// 4 KiB are sent at once. Of messages of 4,096, 4,100 and 4,400 B only those of 4,100 B have a
// handshake that shorter ones, by 0.1 %, might lack.
TEST(JobBounds, AreNoneIfMessagesOfAnyLengthMayLackTheirHandshake) {
  const Topology topology{testing::star(4, 10_GBps, 0_us)};
  TransportProfile profile = testing::free_of_cost();
  profile.eager_limit = 4_KiB;
  profile.rendezvous_handshake = 4_us;
  const auto has_bounds = [&](const RankProgram& program) {
    SimulatedJob job = job_on(topology, profile);
    job.fold(program);
    return job.bounds(program, 1e-3).has_value();
  };

  for (const std::uint64_t chunk : {1024U, 1025U, 1100U})
    EXPECT_EQ(has_bounds(rings_of({chunk})), chunk != 1025) << chunk;
  EXPECT_TRUE(has_bounds(rings_of({1024, 1100})));
  EXPECT_FALSE(has_bounds(rings_of({1024, 1025})));
  EXPECT_FALSE(has_bounds(rings_of({1025, 1100})));
}

/// Rank 0 sends 4,000 B to ranks 1 and 2 at once, and so does rank 1 with 2,000 B to 0 and 2.
void send_to_both(RankContext& self) {
  const BufferId data = self.memory.allocate(12'000_B);
  const int me = index_of(self.network.rank());
  std::vector<Pending> messages;
  const auto send = [&](int to, Bytes length) {
    messages.push_back(self.network.send(Rank{to}, {data, 0_B, length}, Tag{0}));
  };
  const auto recv = [&](int from, Bytes length) {
    messages.push_back(self.network.recv(
        Rank{from}, {data, Bytes{4000U * static_cast<unsigned>(from + 1)}, length}, Tag{0}));
  };
  if (me == 0) {
    send(1, 4000_B);
    send(2, 4000_B);
    recv(1, 2000_B);
  } else {
    recv(0, 4000_B);
    if (me == 1) {
      send(0, 2000_B);
      send(2, 2000_B);
    } else {
      recv(1, 2000_B);
    }
  }
  wait_all(messages);
}

// With as many bytes beside them, the messages of rank 0 have 16,000 B: 1.6 us after the latency of
// two cables, 2 us. Alone, each would take 0.8 us. The other cables carry less.
TEST(JobBounds, CountTheBytesOfTheFullestLinkFromItsFirstByte) {
  const Topology topology{testing::star(3, 10_GBps, 1_us)};
  const TransportProfile profile = half_as_efficient();
  SimulatedJob job = job_on(topology, profile);
  job.fold(send_to_both);

  const auto bounds = job.bounds(send_to_both, 0);

  ASSERT_TRUE(bounds);
  EXPECT_NEAR(bounds->least.count(), 3.6e-6, 1e-15);
}

// A rank that adds segments takes time for each, which may be handled in another order.
TEST(JobBounds, AreNoneIfRanksOfPipelinedTreesTakeTimeToAdd) {
  const Topology topology{testing::star(2, 10_GBps, 0_us)};
  const RankProgram program = [](RankContext& self) {
    make_allreduce("tree", {{RingOrder::identity(2)}, 10'000_B})
        ->run({self.memory.allocate(80'000_B), 20'000}, self);
  };
  const auto has_bounds = [&](const TransportProfile& profile) {
    SimulatedJob job = job_on(topology, profile);
    job.fold(program);
    return job.bounds(program, 0).has_value();
  };
  TransportProfile profile = testing::free_of_cost();
  EXPECT_TRUE(has_bounds(profile));
  profile.host_reduce_rate = 100_GBps;
  EXPECT_FALSE(has_bounds(profile));
  profile = testing::free_of_cost();
  profile.reduce_overhead = 1_us;
  EXPECT_FALSE(has_bounds(profile));
}

}  // namespace
}  // namespace ringcast
