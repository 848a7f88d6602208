#include "sim/fluid/fluid_transport.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/common/cell_pool.hpp"
#include "engine/numbers/error.hpp"
#include "sim/folding/folding.hpp"
#include "tests/sim/machines.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

class FluidTransportOfTwoRanks : public ::testing::Test {
 protected:
  [[nodiscard]] FluidTransport transport(const RankProgram& program) const {
    const Folding folding{paths_, 2, dry_run(2, Reduction{}, program), Symmetry::none};
    return {paths_, 2, folding.job(), Reduction{}, {}};
  }

  Topology topology_{testing::star(2, 10_GBps, 0_us)};
  TransportProfile profile_ = testing::free_of_cost();
  TransferPaths paths_{topology_, profile_, places_of_ranks(topology_, 2, profile_)};
};

// The ranks run in order, and all are ready at the start.
TEST_F(FluidTransportOfTwoRanks, ThrowsTheFirstFailureOfARun) {
  const RankProgram nothing = [](RankContext&) {};
  FluidTransport transport = this->transport(nothing);

  try {
    transport.run([](RankContext& self) {
      throw TransportError{fmt::format("rank {}", index_of(self.network.rank()))};
    });
    ADD_FAILURE() << "no failure";
  } catch (const TransportError& error) {
    EXPECT_STREQ(error.what(), "rank 0");
  }
  EXPECT_NO_THROW(transport.run(nothing));
}

TEST_F(FluidTransportOfTwoRanks, RefusesAStreamThatTheJobLacks) {
  FluidTransport transport = this->transport([](RankContext&) {});

  EXPECT_THROW(transport.run([](RankContext& self) {
    const Slice data{self.memory.allocate(4_B), 0_B, 4_B};
    self.network.send(Rank{1 - index_of(self.network.rank())}, data, Tag{0}).wait();
  }),
               ContractViolation);
}

// 10 kB at 10 GB/s take 1 us. Rank 0 sends four messages, rank 1 answers the second; the answer
// begins at 2 us, when two messages have arrived.
TEST(FluidTransport, RunsUntilEachStreamHasBegun) {
  const Topology topology{testing::star(2, 10_GBps, 0_us)};
  const TransportProfile profile = testing::free_of_cost();
  const TransferPaths paths{topology, profile, places_of_ranks(topology, 2, profile)};
  const RankProgram program = [](RankContext& self) {
    const Slice data{self.memory.allocate(10'000_B), 0_B, 10'000_B};
    const Rank other{1 - index_of(self.network.rank())};
    for (int message = 0; message < 4; ++message) {
      if (other == Rank{1}) self.network.send(other, data, Tag{0}).wait();
      if (other == Rank{0}) self.network.recv(other, data, Tag{0}).wait();
      if (message == 1 && other == Rank{1}) self.network.recv(other, data, Tag{1}).wait();
      if (message == 1 && other == Rank{0}) self.network.send(other, data, Tag{1}).wait();
    }
  };
  const Folding folding{paths, 2, dry_run(2, Reduction{}, program), Symmetry::none};
  FluidTransport transport{paths, 2, folding.job(), Reduction{}, {}};

  transport.run_first_messages(program, 2);

  ASSERT_EQ(transport.begun().size(), 2U);
  ASSERT_TRUE(transport.begun()[0] && transport.begun()[1]);
  EXPECT_NEAR(transport.begun()[0]->first_byte.count(), 0, 1e-15);
  EXPECT_NEAR(transport.begun()[1]->first_byte.count(), 2e-6, 1e-15);
  EXPECT_EQ(transport.traffic()[0].messages, 2U);
  EXPECT_EQ(transport.traffic()[1].messages, 0U);
  EXPECT_EQ(transport.time().count(), 0);  // no rank has ended

  transport.run(program);

  EXPECT_EQ(transport.traffic()[0].messages, 4U);
  EXPECT_NEAR(transport.time().count(), 5e-6, 1e-15);
}

/// Limits the memory of this process to what it has and `more`.
void limit_memory(Bytes more) {
  std::ifstream file{"/proc/self/statm"};
  rlim_t pages = 0;
  file >> pages;
  const rlim_t limit = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + more.count();
  const rlimit both{limit, limit};
  expect(::setrlimit(RLIMIT_AS, &both) == 0, "no limit of memory");
}

// Wherever it runs out, the operations of a rank that fails and of those that are blocked end.
TEST(FluidTransport, EndsWhenMemoryRunsOut) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "needs terabytes of addresses";
#endif
  constexpr int ranks = 64;
  const Topology topology{testing::star(ranks, 10_GBps, 1_us)};
  const TransportProfile profile = testing::free_of_cost();
  const TransferPaths paths{topology, profile, places_of_ranks(topology, ranks, profile)};
  const RankProgram program = [](RankContext& self) {
    const Slice data{self.memory.allocate(4_B), 0_B, 4_B};
    std::vector<Pending> messages;
    for (int message = 0; message < 8 * ranks; ++message) {
      const Rank peer{message % ranks};
      if (peer == self.network.rank()) continue;
      messages.push_back(self.network.recv(peer, data, Tag{0}));
      messages.push_back(self.network.send(peer, data, Tag{0}));
    }
    wait_all(messages);
  };
  const Folding folding{paths, ranks, dry_run(ranks, Reduction{}, program), Symmetry::none};
  const Bytes stacks = ranks * Bytes{Fibers::stack_size};
  constexpr std::size_t limits = 60;

  const auto run_limited = [&](std::size_t i, const ReportProgress&) {
    FluidTransport transport{paths, ranks, folding.job(), Reduction{}, {}};
    limit_memory(stacks + i * 256_KiB);
    transport.run(program);
    return std::string{};
  };
  const std::vector<CellOutcome> outcomes =
      run_cells(limits, 2, run_limited, {}, {}, CellsOfProcess::one);

  for (const CellOutcome& outcome : outcomes) {
    EXPECT_TRUE(outcome.exit_code == 4 || outcome.succeeded()) << outcome.text;
  }
  EXPECT_EQ(outcomes.front().exit_code, 4);
}

}  // namespace
}  // namespace ringcast
