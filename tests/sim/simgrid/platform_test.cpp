// Each setting and trap of sim/simgrid/platform.cpp, held by the time of one or two flows.
#include <gtest/gtest.h>

#include "tests/sim/forked.hpp"
#include "tests/sim/machines.hpp"

namespace ringcast {
namespace {

using testing::number_from_fork;

constexpr std::uint64_t one_gigabyte = 1'000'000'000;

/// Rank 2i sends to rank 2i + 1, all at once.
RankProgram pairs(std::uint64_t bytes) {
  return [bytes](RankContext& self) {
    const int me = index_of(self.network.rank());
    const Slice all{self.memory.allocate(Bytes{bytes}), Bytes{0}, Bytes{bytes}};
    if (me % 2 == 0) {
      self.network.send(Rank{me + 1}, all, Tag{0}).wait();
    } else {
      self.network.recv(Rank{me - 1}, all, Tag{0}).wait();
    }
  };
}

double time_of(const Cluster& cluster, const RankProgram& program) {
  return number_from_fork(
      [&] { return testing::simulated_time(cluster, testing::free_of_cost(), program).count(); });
}

// LV08, SimGrid's default, would take 13.01 x 2 us + 1 / 0.97 of the transfer.
TEST(Platform, TakesLatencyPlusSizeOverBandwidth) {
  const double time = time_of(testing::star(2, 10_GBps, 1_us), pairs(one_gigabyte));

  EXPECT_NEAR(time, 2e-6 + 0.1, 1e-12);
}

// A TCP window of 4 MiB would cap the rate at 4,194,304 / (2 x 2 ms) = 1.05 GB/s.
TEST(Platform, HasNoTcpWindow) {
  const double time = time_of(testing::star(2, 100_GBps, Seconds{1e-3}), pairs(one_gigabyte));

  EXPECT_NEAR(time, 2e-3 + 0.01, 1e-12);
}

// Cross traffic would take 5 % of each direction for the acknowledgements of the other.
TEST(Platform, HasFullDuplexCables) {
  const auto both_ways = [](RankContext& self) {
    const Rank peer{1 - index_of(self.network.rank())};
    const Slice out{self.memory.allocate(Bytes{one_gigabyte}), Bytes{0}, Bytes{one_gigabyte}};
    const Slice in{self.memory.allocate(Bytes{one_gigabyte}), Bytes{0}, Bytes{one_gigabyte}};
    Pending received = self.network.recv(peer, in, Tag{0});
    self.network.send(peer, out, Tag{0}).wait();
    received.wait();
  };

  EXPECT_NEAR(time_of(testing::star(2, 10_GBps, 1_us), both_ways), 2e-6 + 0.1, 1e-12);
}

/// Two pairs of GPUs over one cable; the second pair's own cables have `latency`.
Cluster dumbbell(Seconds latency) {
  return {"dumbbell",
          {{"left", VertexKind::pcie_switch, 0},
           {"right", VertexKind::pcie_switch, 0},
           {"gpu0", VertexKind::gpu, 0},
           {"gpu1", VertexKind::gpu, 0},
           {"gpu2", VertexKind::gpu, 0},
           {"gpu3", VertexKind::gpu, 0}},
          {{0, 1, 10_GBps, Seconds{0}, "test", "test"},
           {0, 2, 100_GBps, Seconds{0}, "test", "test"},
           {1, 3, 100_GBps, Seconds{0}, "test", "test"},
           {0, 4, 100_GBps, latency, "test", "test"},
           {1, 5, 100_GBps, Seconds{0}, "test", "test"}}};
}

// 1 GB each over 10 GB/s: alone for 1 ms the first moves 10 MB; then 5 GB/s each until it has its
// other 990 MB, at 1 ms + 198 ms = 199 ms. By then the second has 990 MB, and its last 10 MB take
// 1 ms: 200 ms. Shared by latency, the first would have taken nearly all and ended at half of that.
TEST(Platform, SharesFairlyWhateverTheLatency) {
  const auto first_ends = [](RankContext& self) {
    pairs(one_gigabyte)(self);
    if (index_of(self.network.rank()) == 0) {
      EXPECT_NEAR(self.network.now().count(), 0.199, 1e-9);
      expect(std::abs(self.network.now().count() - 0.199) < 1e-9, "the first ended at {}",
             self.network.now().count());
    }
  };

  EXPECT_NEAR(time_of(dumbbell(Seconds{1e-3}), first_ends), 0.200, 1e-9);
}

/// Rank 0 posts `count` sends at once; rank 1 posts the receives first.
RankProgram burst(int count, std::uint64_t bytes, int tags) {
  return [=](RankContext& self) {
    const Slice all{self.memory.allocate(Bytes{bytes}), Bytes{0}, Bytes{bytes}};
    std::vector<Pending> pending;
    for (int i = 0; i < count; ++i) {
      const Tag tag{i % tags};
      pending.push_back(index_of(self.network.rank()) == 0 ? self.network.send(Rank{1}, all, tag)
                                                           : self.network.recv(Rank{0}, all, tag));
    }
    for (Pending& operation : pending) {
      operation.wait();
    }
  };
}

// Latency once, then the wire is never idle: 10 us + 8 x 1 MB / (1 GB/s).
TEST(Platform, OverlapsTheLatenciesOfMessagesThatFollowEachOther) {
  const double time = time_of(testing::star(2, 1_GBps, 5_us), burst(8, 1'000'000, 1));

  EXPECT_NEAR(time, 10e-6 + 8e-3, 1e-12);
}

// Messages of one tag go one after the other: the first of two is there after half of the time.
TEST(Platform, SendsMessagesOfOneTagInOrder) {
  const auto first_of_two = [](RankContext& self) {
    const Slice all{self.memory.allocate(1_MiB), Bytes{0}, 1_MiB};
    if (index_of(self.network.rank()) == 0) {
      Pending first = self.network.send(Rank{1}, all, Tag{0});
      Pending second = self.network.send(Rank{1}, all, Tag{0});
      first.wait();
      second.wait();
      return;
    }
    Pending first = self.network.recv(Rank{0}, all, Tag{0});
    Pending second = self.network.recv(Rank{0}, all, Tag{0});
    first.wait();
    const double after_one = self.network.now().count();
    second.wait();
    const double after_two = self.network.now().count();
    expect(std::abs(after_one - 1048576 / 1e9) < 1e-12, "the first arrived at {}", after_one);
    expect(std::abs(after_two - 2 * 1048576 / 1e9) < 1e-12, "the second arrived at {}", after_two);
  };

  EXPECT_NO_THROW(time_of(testing::star(2, 1_GBps, Seconds{0}), first_of_two));
}

// The receiver is away when the flows end; they go on all the same: three take 3 ms, not longer.
TEST(Platform, StartsTheNextMessageWhileTheReceiverIsBusy) {
  const auto busy_receiver = [](RankContext& self) {
    if (index_of(self.network.rank()) == 0) {
      burst(3, 1'000'000, 1)(self);
      return;
    }
    const Slice all{self.memory.allocate(Bytes{1'000'000}), Bytes{0}, Bytes{1'000'000}};
    std::vector<Pending> received;
    for (int i = 0; i < 3; ++i) {
      received.push_back(self.network.recv(Rank{0}, all, Tag{0}));
    }
    self.processor.compute(Seconds{2.9e-3}).wait();
    for (Pending& one : received) {
      one.wait();
    }
  };

  EXPECT_NEAR(time_of(testing::star(2, 1_GBps, Seconds{0}), busy_receiver), 3e-3, 1e-12);
}

TEST(Platform, AddsTheProfilesOverheadToEachMessage) {
  TransportProfile profile = testing::free_of_cost();
  profile.message_overhead = 7_us;

  const double time = number_from_fork([&] {
    return testing::simulated_time(testing::star(2, 10_GBps, 1_us), profile, pairs(1'000'000))
        .count();
  });

  EXPECT_NEAR(time, 9e-6 + 1e-4, 1e-12);
}

TEST(Platform, RefusesASecondSimulationInOneProcess) {
  EXPECT_THROW(number_from_fork([] {
                 const Cluster cluster = testing::star(2, 10_GBps, 1_us);
                 const double first =
                     testing::simulated_time(cluster, testing::free_of_cost(), pairs(8)).count();
                 return first +
                        testing::simulated_time(cluster, testing::free_of_cost(), pairs(8)).count();
               }),
               ContractViolation);
}

// 33,000 actors would run into the limit of 65,530 memory maps if each had a guard page, which
// makes two maps of a stack.
TEST(Platform, HasRoomForManyRanks) {
  const int ranks = 33'000;

  const double time = time_of(testing::star(ranks, 10_GBps, 1_us), [](RankContext& self) {
    expect(self.network.size() == ranks, "{} ranks", self.network.size());
  });

  EXPECT_EQ(time, 0.0);
}

}  // namespace
}  // namespace ringcast
