#include "sim/simgrid/sim_transport.hpp"

#include <array>

#include <gtest/gtest.h>

#include "sim/model/link_load.hpp"
#include "tests/sim/forked.hpp"
#include "tests/sim/machines.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

using testing::number_from_fork;
using testing::run_forked;

void run_on_star(int ranks, const RankProgram& program) {
  const Topology topology{testing::star(ranks, 10_GBps, 1_us)};
  SimTransport{topology, ranks, testing::free_of_cost(), Reduction{}, {}}.run(program);
}

std::string error_of(const RankProgram& program, int ranks = 2) {
  try {
    run_forked([&] {
      run_on_star(ranks, program);
      return std::string{};
    });
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

TEST(SimTransport, NamesWhoWaitsForWhatInADeadlock) {
  const auto both_receive = [](RankContext& self) {
    const Slice word{self.memory.allocate(8_B), Bytes{0}, 8_B};
    self.network.recv(Rank{1 - index_of(self.network.rank())}, word, Tag{3}).wait();
  };

  EXPECT_EQ(error_of(both_receive),
            "deadlock: rank 0 waits to receive 8 bytes from rank 1 under tag 3, rank 1 waits to "
            "receive 8 bytes from rank 0 under tag 3");
}

TEST(SimTransport, CountsTheMessagesAmongWhichADeadlockedRankChooses) {
  const auto both_choose = [](RankContext& self) {
    const Rank peer{1 - index_of(self.network.rank())};
    const BufferId words = self.memory.allocate(16_B);
    const Pending one = self.network.recv(peer, {words, Bytes{0}, 8_B}, Tag{3});
    const Pending other = self.network.recv(peer, {words, 8_B, 8_B}, Tag{4});
    const std::array<const Pending*, 3> choice{&one, nullptr, &other};
    static_cast<void>(self.network.first_done(choice));
  };

  EXPECT_EQ(error_of(both_choose),
            "deadlock: rank 0 waits for one of 2 messages, rank 1 waits for one of 2 messages");
}

// A message takes 2 us: it has arrived when its receiver has reduced for 10 us.
TEST(SimTransport, KnowsWhatHasArrivedWhileARankReduced) {
  const double done = number_from_fork([] {
    TransportProfile profile = testing::free_of_cost();
    profile.reduce_overhead = 10_us;
    const Topology topology{testing::star(2, 10_GBps, 1_us)};
    bool is_done = false;
    SimTransport{topology, 2, profile, Reduction{}, {}}.run([&is_done](RankContext& self) {
      const BufferId words = self.memory.allocate(24_B);
      if (self.network.rank() == Rank{0}) {
        self.network.send(Rank{1}, {words, Bytes{0}, 8_B}, Tag{0}).wait();
        return;
      }
      Pending received = self.network.recv(Rank{0}, {words, Bytes{0}, 8_B}, Tag{0});
      self.reducer.accumulate({words, 8_B, 8_B}, {words, 16_B, 8_B}).wait();
      is_done = received.is_done();
      received.wait();
    });
    return is_done ? 1.0 : 0.0;
  });
  EXPECT_EQ(done, 1.0);
}

TEST(SimTransport, NamesBothLengthsWhereTheyDiffer) {
  const auto mismatch = [](RankContext& self) {
    const Slice all{self.memory.allocate(16_B), Bytes{0}, 16_B};
    if (index_of(self.network.rank()) == 0) {
      self.network.send(Rank{1}, all, Tag{0}).wait();
    } else {
      self.network.recv(Rank{0}, {all.buffer, Bytes{0}, 8_B}, Tag{0}).wait();
    }
  };

  EXPECT_EQ(error_of(mismatch),
            "rank 1: recv of 8 bytes from rank 0 under tag 0 met a send of 16 bytes");
}

TEST(SimTransport, GivesTheErrorOfARankThatFailsWhileAMessageOfOthersIsOnTheWire) {
  const auto third_fails = [](RankContext& self) {
    const Slice all{self.memory.allocate(1_MiB), Bytes{0}, 1_MiB};
    switch (index_of(self.network.rank())) {
      case 0:
        return self.network.send(Rank{1}, all, Tag{0}).wait();
      case 1:
        return self.network.recv(Rank{0}, all, Tag{0}).wait();
      default:
        self.processor.compute(50_us).wait();
        throw TransportError{"the third rank fails"};
    }
  };

  EXPECT_EQ(error_of(third_fails, 3), "the third rank fails");
}

// A ring of n: every rank sends 2(n-1) chunks of S/n. For Baidu's 300 million float32 on 40 GPUs
// that is 78 x 30 MB = 2.34 GB, the article's "2.4 GB" for large n.
TEST(SimTransport, CountsWhatEveryRankSends) {
  const double sent = number_from_fork([] {
    const Topology topology{testing::star(40, 10_GBps, 1_us)};
    SimTransport transport{topology, 40, testing::free_of_cost(), Reduction{}, {}};
    transport.run(testing::ring_program(40, 300'000'000));
    return static_cast<double>(most_sent(transport.report().traffic).count());
  });

  EXPECT_EQ(sent, 78 * 30e6);
}

TEST(SimTransport, CountsWhatEveryLinkCarries) {
  const double carried = number_from_fork([] {
    const Topology topology{testing::star(3, 10_GBps, 1_us)};
    SimTransport transport{topology, 3, testing::free_of_cost(), Reduction{}, {}};
    transport.run(testing::ring_program(3, 300));
    const std::vector<Bytes> links = carried_by_link(transport.report(), transport.paths());
    for (const Bytes link : links) {
      expect(link == links.front(), "{} and {} bytes", link.count(), links.front().count());
    }
    return static_cast<double>(links.front().count());
  });

  // 2(n-1) steps of 100 elements, over each GPU's cable, each way.
  EXPECT_EQ(carried, 4 * 400.0);
}

TEST(SimTransport, RecordsWhenEachMessageWasOnTheWire) {
  run_forked([] {
    const Topology topology{testing::star(2, 1_GBps, 5_us)};
    SimOptions options;
    options.traffic.record_messages = true;
    SimTransport transport{topology, 2, testing::free_of_cost(), Reduction{}, options};
    transport.run(testing::ring_program(2, 500));

    const auto& messages = transport.report().messages;
    expect(messages.size() == 4, "{} messages", messages.size());
    // The second step begins when the first has ended: 10 us + 1 us, then 10 us of latency.
    const DeliveredMessage& last = messages.back();
    expect(std::abs(last.begin.count() - 21e-6) < 1e-12, "began at {}", last.begin.count());
    expect(std::abs(last.end.count() - 22e-6) < 1e-12, "ended at {}", last.end.count());
    return std::string{};
  });
}

TEST(BusyIntervals, JoinMessagesThatMeetAndSplitWhereTheirNumberChanges) {
  const Topology topology{testing::star(2, 1_GBps, Seconds{0})};
  const TransferPaths paths{topology, {}, places_of_ranks(topology, 2, {})};
  const auto message = [](double begin, double end) {
    return DeliveredMessage{Rank{0}, Rank{1}, Tag{0}, 8_B, Seconds{begin}, Seconds{end}};
  };

  const auto busy =
      busy_intervals({message(0, 2), message(1, 3), message(3, 4), message(6, 7)}, paths);

  // On each of the two links: 1 from 0 to 1, 2 from 1 to 2, 1 from 2 to 4, 1 from 6 to 7.
  ASSERT_EQ(busy.size(), 8U);
  EXPECT_EQ(busy[1].flows, 2);
  EXPECT_EQ(busy[2].begin, Seconds{2});
  EXPECT_EQ(busy[2].end, Seconds{4});
  EXPECT_EQ(busy[3].begin, Seconds{6});
}

}  // namespace
}  // namespace ringcast
