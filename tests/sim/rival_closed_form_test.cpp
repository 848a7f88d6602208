// The rivals of the ring on a star, against the closed forms of rival_cost.hpp.
#include "tests/sim/star_runs.hpp"

namespace ringcast {
namespace {

using testing::hop;
using testing::options_of;
using testing::reduce_rates;
using testing::simulated;
using testing::text_of;

using ClosedForm = Seconds (*)(const StarShape&, const HopCost&);

void expect_closed_form(const std::string& algorithm, ClosedForm closed_form,
                        const StarShape& shape, BytesPerSecond reduce_rate = BytesPerSecond{0}) {
  EXPECT_NEAR(
      simulated(algorithm, shape, reduce_rate) / closed_form(shape, hop(reduce_rate)).count(), 1.0,
      1e-9)
      << text_of(shape, reduce_rate);
}

// 1 KiB, 1 MiB and 1.2 GB.
constexpr Bytes rival_sizes[] = {1_KiB, 1_MiB, Bytes{1'200'000'000}};

TEST(SimulatedRivals, AllToAllTakesTheClosedFormsTime) {
  for (const int ranks : {2, 3, 5, 8, 16, 40}) {
    for (const Bytes size : rival_sizes) {
      for (const BytesPerSecond rate : reduce_rates) {
        expect_closed_form("all-to-all", all_to_all_time, {ranks, size}, rate);
      }
    }
  }
}

TEST(SimulatedRivals, SingleReducerTakesTheClosedFormsTime) {
  for (const int ranks : {2, 3, 5, 8, 40}) {
    for (const Bytes size : rival_sizes) {
      for (const BytesPerSecond rate : reduce_rates) {
        expect_closed_form("single-reducer", single_reducer_time, {ranks, size}, rate);
        expect_closed_form("single-reducer", single_reducer_time,
                           {ranks, size, Bytes{size.count() / 16}}, rate);
      }
    }
  }
}

// Sizes whose halves, down to a 32nd, are whole segments.
TEST(SimulatedRivals, HalvingDoublingTakesTheClosedFormsTime) {
  for (const int ranks : {2, 3, 4, 5, 6, 7, 8, 9, 16, 32}) {
    for (const Bytes size : {1_KiB, 1_MiB, 1_GiB}) {
      for (const BytesPerSecond rate : reduce_rates) {
        expect_closed_form("recursive-halving-doubling", halving_doubling_time, {ranks, size},
                           rate);
        expect_closed_form("recursive-halving-doubling", halving_doubling_time,
                           {ranks, size, Bytes{size.count() / 32}}, rate);
      }
    }
  }
}

TEST(SimulatedRivals, TreeTakesTheClosedFormsTime) {
  for (const int ranks : {3, 7, 15, 31}) {
    for (const Bytes size : {1_MiB, 1_GiB}) {
      for (const BytesPerSecond rate : reduce_rates) {
        expect_closed_form("tree", double_tree_time, {ranks, size}, rate);
      }
    }
  }
}

double reduced_first(const StarShape& shape, BytesPerSecond reduce_rate) {
  CollectiveOptions options = options_of(shape);
  options.reduce_first = true;
  return simulated("tree", options, shape.ranks, shape.size, reduce_rate);
}

// Then segments of results do not come down while others go up, and take the bound's time exactly.
TEST(SimulatedRivals, TreesThatReduceFirstTakeTheClosedFormsTime) {
  for (const int ranks : {3, 7, 15, 31}) {
    for (const std::uint64_t parts : {2U, 8U, 32U}) {
      const StarShape shape{ranks, 1_GiB, Bytes{(1_GiB).count() / parts}};
      EXPECT_NEAR(reduced_first(shape, BytesPerSecond{0}) / double_tree_time(shape, hop()).count(),
                  1, 1e-9)
          << text_of(shape, BytesPerSecond{0});
    }
  }
}

// Each of two ranks is the root of one tree and the leaf of the other: half of the buffer goes each
// way, is combined, and the result comes back: A(S/2) + M(S/2) of rival_cost.hpp.
TEST(SimulatedRivals, TreesOfTwoRanksThatReduceFirstPassAHalfTwice) {
  for (const std::uint64_t parts : {1U, 4U, 64U, 256U}) {
    for (const BytesPerSecond rate : reduce_rates) {
      const StarShape shape{2, 1_GiB, Bytes{(1_GiB).count() / parts}};
      const double half = bytes_of(shape) / 2;
      const Seconds time = combined(shape, half, hop(rate)) + moved(half, hop(rate));
      EXPECT_NEAR(reduced_first(shape, rate) / time.count(), 1, 1e-9) << text_of(shape, rate);
    }
  }
}

// Both halves take the same chain, and their segments each cable together: a pair of them takes
// a + t from rank to rank, t = S / (k b), and k pairs follow each other, up and then down.
TEST(SimulatedRivals, ChainsThatReduceFirstPassAllThroughEachRankTwice) {
  for (const int ranks : {1, 2, 3, 4, 8}) {
    for (const std::uint64_t parts : {2U, 8U, 64U}) {
      const StarShape shape{ranks, 1_GiB, Bytes{(1_GiB).count() / parts}};
      CollectiveOptions options = options_of(shape);
      options.chain_on_one_node = true;
      options.reduce_first = true;
      const double pairs = static_cast<double>(parts) / 2;
      const Seconds pair = transfer(bytes_of(shape) / pairs, hop());
      const Seconds way = (ranks - 1) * (hop().latency + pair) + (pairs - 1) * pair;
      EXPECT_NEAR(simulated("tree", options, ranks, shape.size, BytesPerSecond{0}),
                  ranks == 1 ? 0 : 2 * way.count(), 1e-9 * way.count())
          << text_of(shape, BytesPerSecond{0});
    }
  }
}

// A rank's cable carries three or four halves each way: two up and two down inside a tree, of which
// a root has two only, and one up or down as a leaf of the other. A half of the closed form is its
// S/b for the way up or down.
TEST(SimulatedRivals, TreesPassSegmentsDownWhileOthersGoUp) {
  for (const int ranks : {3, 7, 15, 31}) {
    for (const std::uint64_t parts : {4U, 16U, 64U}) {
      const StarShape shape{ranks, 1_GiB, Bytes{(1_GiB).count() / parts}};
      const double time = simulated("tree", shape, BytesPerSecond{0});
      const double bound = double_tree_time(shape, hop()).count();
      EXPECT_LT(time, bound) << text_of(shape, BytesPerSecond{0});
      EXPECT_GT(time, (ranks == 3 ? 1.5 : 2) * transfer(bytes_of(shape), hop()).count())
          << text_of(shape, BytesPerSecond{0});
    }
  }
}

// A segment of 32 KiB takes 3.3 us and is 100 us on its way: 30 of them are. A cable carries 2 S/b
// of a tree of 7, after two hops up and before two down; no tree waits for another's messages,
// however many channels there are, and none for its own earlier ones.
TEST(SimulatedRivals, ChannelsOfTreesDoNotWaitForEachOther) {
  const auto time_of = [](int channels) {
    CollectiveOptions options{{}, 32_KiB};
    options.channels.assign(static_cast<std::size_t>(channels), RingOrder::identity(7));
    return testing::number_from_fork([&] {
      return testing::simulated_time(testing::star(7, 10_GBps, 50_us), testing::free_of_cost(),
                                     testing::program("tree", options, 64_MiB))
          .count();
    });
  };
  const double bound = 2 * (64_MiB / 10_GBps).count() + 4 * 100e-6;
  EXPECT_NEAR(time_of(1) / bound, 1, 0.02);
  EXPECT_NEAR(time_of(16) / bound, 1, 0.02);
}

TEST(SimulatedRivals, TwoWayRingTakesTheClosedFormsTime) {
  for (const int ranks : {2, 3, 5, 8, 16}) {
    const auto both = static_cast<std::uint64_t>(2 * ranks);
    for (const std::uint64_t elements : {both, 1000 * both, 1'000'000 * both}) {
      expect_closed_form("two-way-ring", two_way_ring_time, {ranks, elements * 4_B});
    }
  }
}

TEST(SimulatedRivals, OfOneRankOrNoElementsTakeNoTime) {
  for (const std::string& name : allreduce_names()) {
    EXPECT_EQ(simulated(name, {1, 1_MiB}, 10_GBps), 0.0) << name;
    EXPECT_EQ(simulated(name, {4, Bytes{0}}, 10_GBps), 0.0) << name;
  }
  for (const ClosedForm form : {all_to_all_time, single_reducer_time, halving_doubling_time,
                                double_tree_time, two_way_ring_time}) {
    EXPECT_EQ(form({1, 1_MiB}, hop()), Seconds{0});
    EXPECT_EQ(form({3, Bytes{0}}, hop()), Seconds{0});
  }
}

TEST(SimulatedRivals, HaveNoClosedFormForWhatItDoesNotCover) {
  EXPECT_THROW(static_cast<void>(all_to_all_time({3, 1_MiB, 1_KiB}, hop())), ContractViolation);
  EXPECT_THROW(static_cast<void>(double_tree_time({4, 1_MiB}, hop())), ContractViolation);
  EXPECT_THROW(static_cast<void>(two_way_ring_time({3, 1_MiB, 1_KiB}, hop())), ContractViolation);
  EXPECT_THROW(static_cast<void>(two_way_ring_time({3, 1_MiB}, hop(5_GBps))), ContractViolation);
}

TEST(SimulatedRivals, ExchangeAsManyMessagesAsTheyCount) {
  for (const std::string& name : allreduce_names()) {
    for (int ranks = 1; ranks <= 9; ++ranks) {
      for (const Bytes segment : {Bytes{0}, 400_B}) {
        const StarShape shape{ranks, 40'004_B, segment};

        EXPECT_EQ(testing::simulated_message_count(name, options_of(shape), ranks, shape.size),
                  allreduce_message_count(name, options_of(shape), shape.size.count() / 4, 4_B))
            << name << ", " << text_of(shape, BytesPerSecond{0});
      }
    }
  }
}

}  // namespace
}  // namespace ringcast
