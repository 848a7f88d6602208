// Shares of links, against an oracle: no link may carry more than its rate, and no flow may have
// less than its fair share. SimGrid's selective solver alone overloads links
// (sim/simgrid/host_routes.hpp).
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/simgrid/capacity_check.hpp"
#include "tests/sim/fluid.hpp"
#include "tests/sim/forked.hpp"
#include "tests/sim/machines.hpp"

namespace ringcast {
namespace {

using testing::Fluid;
constexpr double cable_rate = 1e9;
constexpr double two_cables_s = 2e-6;

/// Messages that follow each other from one rank to another, posted after `start` seconds.
struct Train {
  int from;
  int to;
  double start;
  double bytes;
  int messages;
};

/// The ends of the messages of each train, train after train.
std::vector<double> simulated_ends(int ranks, const std::vector<Train>& trains) {
  const std::string text = testing::run_forked([&] {
    const Topology topology{
        testing::star(ranks, BytesPerSecond{cable_rate}, Seconds{two_cables_s / 2})};
    SimOptions options;
    options.traffic.record_messages = true;
    SimTransport transport{topology, ranks, testing::free_of_cost(), Reduction{}, options};
    transport.run([&](RankContext& self) {
      // In order of their starts, so that a rank can wait for one after the other.
      std::vector<std::size_t> order(trains.size());
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, {}, [&](std::size_t i) { return trains[i].start; });
      std::vector<Pending> all;
      for (const std::size_t i : order) {
        const Train& train = trains[i];
        const int me = index_of(self.network.rank());
        if (me != train.from && me != train.to) {
          continue;
        }
        self.processor.compute(Seconds{train.start} - self.network.now()).wait();
        const Bytes size{static_cast<std::uint64_t>(train.bytes)};
        const Slice data{self.memory.allocate(size), Bytes{0}, size};
        for (int message = 0; message < train.messages; ++message) {
          const Tag tag{static_cast<int>(i)};
          all.push_back(me == train.from ? self.network.send(Rank{train.to}, data, tag)
                                         : self.network.recv(Rank{train.from}, data, tag));
        }
      }
      for (Pending& pending : all) {
        pending.wait();
      }
    });
    std::map<int, std::string> ends;
    for (const DeliveredMessage& message : transport.report().messages) {
      ends[static_cast<int>(message.tag)] += fmt::format("{} ", message.end.count());
    }
    std::string joined;
    for (const auto& [tag, text_of_train] : ends) {
      joined += text_of_train;
    }
    return joined;
  });
  std::istringstream numbers{text};
  return {std::istream_iterator<double>{numbers}, {}};
}

/// Links 0 to n - 1 lead from a rank to the switch, the others back.
std::vector<double> fluid_ends(int ranks, const std::vector<Train>& trains) {
  Fluid fluid{std::vector<double>(static_cast<std::size_t>(2 * ranks), cable_rate)};
  std::vector<std::vector<double>> ends(trains.size());
  std::function<void(std::size_t)> send = [&](std::size_t i) {
    fluid.flow({trains[i].from, ranks + trains[i].to}, trains[i].bytes, Fluid::no_cap, [&, i] {
      ends[i].push_back(fluid.now());
      if (static_cast<int>(ends[i].size()) < trains[i].messages) {
        send(i);
      }
    });
  };
  for (std::size_t i = 0; i < trains.size(); ++i) {
    fluid.at(trains[i].start + two_cables_s, [&, i] { send(i); });
  }
  fluid.run();
  std::vector<double> all;
  for (const std::vector<double>& of_train : ends) {
    all.insert(all.end(), of_train.begin(), of_train.end());
  }
  return all;
}

void expect_near(const std::vector<double>& simulated, const std::vector<double>& expected) {
  ASSERT_EQ(simulated.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(simulated[i], expected[i], 1e-9 * expected[i]) << "message " << i;
  }
}

// Y crosses the cable into rank 2 alone, at 1 GB/s, and has 3 GB left when X and Z begin at one
// instant: X on the cable from rank 0, Z on both. All get 0.5 GB/s; X and Z end 2 s later, and then
// Y has 2 GB left, which take 2 s. With Z's other cable forgotten, that would carry 1.5 GB/s, and Y
// would end 1 s earlier.
TEST(MaxMin, HoldsForFlowsThatBeginAtOneInstant) {
  const std::vector<Train> trains = {{3, 2, 0, 4e9, 1}, {0, 1, 1, 1e9, 1}, {0, 2, 1, 1e9, 1}};

  const std::vector<double> expected = {5 + two_cables_s, 3 + two_cables_s, 3 + two_cables_s};
  expect_near(fluid_ends(4, trains), expected);
  expect_near(simulated_ends(4, trains), expected);
}

TEST(MaxMin, HoldsForRandomFlows) {
  std::mt19937 random{1};
  const auto draw = [&](int from, int to) {
    return std::uniform_int_distribution<int>{from, to}(random);
  };
  for (int set = 0; set < 300; ++set) {
    const int ranks = draw(3, 8);
    std::vector<Train> trains;
    for (int count = draw(2, 12); count > 0; --count) {
      const int from = draw(0, ranks - 1);
      const int to = (from + draw(1, ranks - 1)) % ranks;
      trains.push_back({from, to, draw(0, 1) * 0.5, 1e8 * draw(1, 9), draw(1, 3)});
    }
    SCOPED_TRACE(fmt::format("set {}: {} trains on {} ranks", set, trains.size(), ranks));
    expect_near(simulated_ends(ranks, trains), fluid_ends(ranks, trains));
  }
}

// The cable has 1 GB/s; 1.5 GB/s were there from 2 s, when a flow joined, to 3 s.
TEST(CapacityCheck, FindsALinkThatCarriesMoreThanItsRate) {
  const Topology topology{testing::star(2, BytesPerSecond{cable_rate}, Seconds{0})};
  double load = cable_rate;
  CapacityCheck check{topology, [&](LinkId /*link*/) { return BytesPerSecond{load}; }};
  const Leg leg{{LinkId{0}}};
  check.flow_joins(leg, Seconds{0});
  check.flow_joins(leg, Seconds{2});
  check.time_advanced(Seconds{2});
  check.expect_kept();

  load = 1.5 * cable_rate;
  check.time_advanced(Seconds{3});

  try {
    check.expect_kept();
    FAIL() << "an overload passed";
  } catch (const ContractViolation& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(
                                  "switch -> gpu0 carried 1.5 GB/s at 2 s, more than its 1 GB/s"));
  }
}

}  // namespace
}  // namespace ringcast
