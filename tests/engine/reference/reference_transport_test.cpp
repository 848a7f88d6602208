#include "tests/engine/reference/reference_transport.hpp"

#include <atomic>

#include "tests/collective_contract.hpp"
#include "tests/transport_contract.hpp"

namespace ringcast {
namespace {

const BackendUnderTest reference_backend{"reference", [](int ranks, Reduction reduction) {
                                           return std::make_unique<ReferenceTransport>(ranks,
                                                                                       reduction);
                                         }};

INSTANTIATE_TEST_SUITE_P(Backend, TransportContract, ::testing::Values(reference_backend),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Backend, FailureContract, ::testing::Values(reference_backend),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Backend, DeadlockContract, ::testing::Values(reference_backend),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Backend, ReductionContract,
                         ::testing::ValuesIn(every_reduction(reference_backend)),
                         name_of_reduction_case);
INSTANTIATE_TEST_SUITE_P(Backend, CollectiveContract,
                         ::testing::ValuesIn(every_ranks(reference_backend)), name_of_ranks_case);
INSTANTIATE_TEST_SUITE_P(Backend, CollectiveReductionContract,
                         ::testing::ValuesIn(every_reduction(reference_backend)),
                         name_of_reduction_case);

constexpr Reduction int_sum{ElementType::int32, Operation::sum};

/// The message of the TransportError that ends a run.
std::string message_of_failure(int ranks, const RankProgram& program) {
  try {
    ReferenceTransport{ranks, int_sum}.run(program);
  } catch (const TransportError& error) {
    return error.what();
  }
  return "no failure";
}

TEST(ReferenceTransport, RefusesAJobOfNoRanks) {
  EXPECT_THROW((ReferenceTransport{0, int_sum}), ContractViolation);
}

TEST(ReferenceTransport, RunsAgainAfterARunAndAfterAFailure) {
  ReferenceTransport transport{2, int_sum};
  std::atomic<int> runs = 0;

  transport.run([&](RankContext&) { ++runs; });
  EXPECT_THROW(transport.run([](RankContext&) { throw BackendUnavailable{"no more"}; }),
               BackendUnavailable);
  transport.run([&](RankContext&) { ++runs; });

  EXPECT_EQ(runs, 4);
}

TEST(ReferenceTransport, ADroppedSendIsWithdrawn) {
  ReferenceTransport transport{2, int_sum};
  contract::expect_a_dropped_send_is_withdrawn(transport);
}

TEST(ReferenceTransport, ASendEndsOnlyWhenItsRecvTookTheData) {
  ReferenceTransport{2, int_sum}.run([](RankContext& self) {
    constexpr Seconds delay{0.05};
    const Slice slice = contract::hold(self, 0);
    if (self.network.rank() == contract::first) {
      self.network.send(contract::second, slice, contract::tag).wait();
      contract::require(self.network.now() >= delay, "sent after {} s", self.network.now().count());
      return;
    }
    self.processor.compute(delay).wait();
    self.network.recv(contract::first, slice, contract::tag).wait();
  });
}

TEST(ReferenceTransport, ComputationsOfOneRankFollowEachOther) {
  ReferenceTransport{1, int_sum}.run([](RankContext& self) {
    const Seconds begin = self.network.now();
    Pending one = self.processor.compute(Seconds{0.02});
    Pending two = self.processor.compute(Seconds{0.02});
    one.wait();
    two.wait();
    const Seconds took = self.network.now() - begin;
    contract::require(took >= Seconds{0.04}, "both took {} s", took.count());
  });
}

TEST(ReferenceTransport, ADeadlockNamesWhoWaitsForWhat) {
  const std::string message = message_of_failure(3, [](RankContext& self) {
    const Slice slice = contract::hold(self, 0);
    switch (index_of(self.network.rank())) {
      case 0:
        return self.network.recv(contract::second, slice, Tag{5}).wait();
      case 1:
        return self.network.send(contract::third, slice, Tag{6}).wait();
      default:
        return;
    }
  });

  EXPECT_EQ(message,
            "deadlock: rank 0 waits for a recv of 4 bytes from rank 1 under tag 5; "
            "rank 1 waits for a send of 4 bytes to rank 2 under tag 6; rank 2 has ended");
}

TEST(ReferenceTransport, ADeadlockIsNoticedHoweverOftenRanksWereAwake) {
  const std::string message = message_of_failure(2, [](RankContext& self) {
    const Rank peer{1 - index_of(self.network.rank())};
    for (int i = 0; i < 200; ++i) {
      contract::meet(self, peer);
    }
    self.network.recv(peer, contract::hold(self, 0), contract::tag).wait();
  });

  EXPECT_TRUE(message.starts_with("deadlock: rank 0 waits for a recv of 4 bytes")) << message;
}

TEST(ReferenceTransport, AMismatchNamesBothSidesOnBothRanks) {
  ReferenceTransport transport{2, int_sum};
  contract::expect_both_sides_of_a_mismatch(transport);
}

TEST(ReferenceTransport, AStoppedRankDoesNotGoOnFromAHandlerOfExceptions) {
  std::atomic<bool> went_on = false;

  EXPECT_THROW(
      (ReferenceTransport{2, int_sum}.run([&](RankContext& self) {
        if (self.network.rank() == contract::first) {
          throw WrongResult{"rank 0"};
        }
        try {
          self.network.recv(contract::first, contract::hold(self, 0), contract::tag).wait();
        } catch (const std::exception&) {
          went_on = true;
        }
      })),
      WrongResult);

  EXPECT_FALSE(went_on);
}

TEST(ReferenceTransport, AFailureEndsALongComputation) {
  const auto begin = std::chrono::steady_clock::now();

  EXPECT_THROW((ReferenceTransport{2, int_sum}.run([](RankContext& self) {
                 if (self.network.rank() == contract::first) {
                   throw WrongResult{"rank 0"};
                 }
                 self.processor.compute(Seconds{100}).wait();
               })),
               WrongResult);

  EXPECT_LT(std::chrono::steady_clock::now() - begin, Seconds{50});
}

TEST(ReferenceTransport, RefusesNegativeComputations) {
  ReferenceTransport{1, int_sum}.run([](RankContext& self) {
    contract::require_throw<ContractViolation>([&] { self.processor.compute(Seconds{-1}).wait(); },
                                               "a negative time");
  });
}

}  // namespace
}  // namespace ringcast
