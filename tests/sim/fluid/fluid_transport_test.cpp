#include "sim/fluid/fluid_transport.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ringcast
