#pragma once

#include <array>

#include "tests/reduction_cases.hpp"
#include "tests/returns_contract.hpp"

/// The conformance suite: one test per bullet of the contracts in memory.hpp, endpoint.hpp (both in
/// endpoint_contract.hpp and returns_contract.hpp), reducer.hpp, processor.hpp and transport.hpp. A
/// backend instantiates it in its own test file:
/// - TransportContract, FailureContract and DeadlockContract with ::testing::Values(backend) and
///   name_of_case; DeadlockContract, where only a timeout shows a deadlock, with a short one;
/// - ReductionContract with ::testing::ValuesIn(every_reduction(backend)) and
/// name_of_reduction_case. Every test makes one transport and runs it once. What a program checks
/// it throws, since it may run in another thread or process than the test.
namespace ringcast {

/// Waits for messages that never arrive.
class DeadlockContract : public FailureContract {};

// --- Endpoint, the rest -----------------------------------------------------------------------

TEST_P(TransportContract, ABackendThatRunsProgramsWantsNoOutline) {
  run(1, [](RankContext& self) {
    contract::require(self.network.outline() == nullptr, "an outline instead of a run");
  });
}

TEST_P(TransportContract, TheFirstDoneIsCompleteUnlessTheBackendCannotTell) {
  constexpr Tag late{17};
  run_pair(
      [](RankContext& self) {
        contract::meet(self, contract::second);
        self.network.send(contract::second, contract::hold(self, 1), contract::tag).wait();
        contract::meet(self, contract::second);
        self.network.send(contract::second, contract::hold(self, 2), late).wait();
      },
      [](RankContext& self) {
        const Slice first = contract::hold(self, -1);
        const Slice second = contract::hold(self, -1);
        Pending coming = self.network.recv(contract::first, first, contract::tag);
        Pending delayed = self.network.recv(contract::first, second, late);
        contract::meet(self, contract::first);
        const std::array<const Pending*, 3> all{nullptr, &delayed, &coming};
        const auto done = self.network.first_done(all);
        contract::require(done.value_or(2) == 2, "place {} is not complete", done.value_or(0));
        coming.wait();
        contract::require_value(self, first, 1);
        contract::meet(self, contract::first);
        const std::array<const Pending*, 3> rest{nullptr, &delayed, nullptr};
        const auto last = self.network.first_done(rest);
        contract::require(last.value_or(1) == 1, "place {} is empty", last.value_or(0));
        delayed.wait();
        contract::require_value(self, second, 2);
      });
}

// --- Processor -----------------------------------------------------------------------------------

TEST_P(TransportContract, AComputationEndsNoEarlierThanItsDuration) {
  run(2, [](RankContext& self) {
    for (const Seconds duration : {Seconds{0}, Seconds{0.001}, Seconds{0.02}}) {
      const Seconds begin = self.network.now();
      self.processor.compute(duration).wait();
      const Seconds took = self.network.now() - begin;
      contract::require(took > duration - Seconds{1e-9}, "{} s of work took {} s", duration.count(),
                        took.count());
      contract::require(took < duration + Seconds{1}, "{} s of work took {} s", duration.count(),
                        took.count());
    }
  });
}

TEST_P(TransportContract, AComputationRunsWhileTheRankCommunicates) {
  run(2, [](RankContext& self) {
    constexpr Seconds work{0.5};
    const Seconds begin = self.network.now();
    Pending computed = self.processor.compute(work);
    contract::meet(self, Rank{1 - index_of(self.network.rank())});
    const Seconds met = self.network.now() - begin;
    computed.wait();
    const Seconds done = self.network.now() - begin;
    contract::require(met < work, "they met after {} s", met.count());
    contract::require(done > work - Seconds{1e-9}, "done after {} s", done.count());
    contract::require(done < work + Seconds{0.45}, "done after {} s", done.count());
  });
}

TEST_P(TransportContract, ComputationsOfARankFollowOneAnother) {
  run(2, [](RankContext& self) {
    constexpr Seconds work{0.05};
    const Seconds begin = self.network.now();
    std::vector<Pending> computations;
    for (int i = 0; i < 3; ++i)
      computations.push_back(self.processor.compute(work));
    // The last first: it ends after the others, of which the rank then need not wait for any.
    for (int left = 3; left > 0; --left) {
      computations.back().wait();
      computations.pop_back();
      const Seconds took = self.network.now() - begin;
      contract::require(took > 3 * work - Seconds{1e-9}, "three computations took {} s",
                        took.count());
      contract::require(took < 3 * work + Seconds{1}, "three computations took {} s", took.count());
    }
  });
}

// --- Transport -----------------------------------------------------------------------------------

TEST_P(TransportContract, TellsItsNameAndSize) {
  const std::unique_ptr<Transport> transport = GetParam().make(2, int_sum);
  if (!transport) GTEST_SKIP() << "no 2 ranks";

  EXPECT_FALSE(transport->name().empty());
  EXPECT_EQ(transport->size(), 2);
}

TEST_P(TransportContract, RunsTheProgramOnEveryRank) {
  constexpr int ranks = 8;
  run(ranks, [](RankContext& self) {
    contract::require(self.network.size() == ranks, "a size of {}", self.network.size());
    if (self.network.rank() != contract::first) {
      const Slice mine = contract::hold(self, index_of(self.network.rank()));
      self.network.send(contract::first, mine, contract::tag).wait();
      return;
    }
    for (int rank = 1; rank < ranks; ++rank) {  // a rank that does not run would block this
      const Slice theirs = contract::hold(self, 0);
      self.network.recv(Rank{rank}, theirs, contract::tag).wait();
      contract::require_value(self, theirs, rank);
    }
  });
}

// More than a table of messages under way may have room for.
TEST_P(TransportContract, ManySendsMayBeWaitedForFromTheLastToTheFirst) {
  constexpr std::uint64_t count = 2000;  // ints: too many to travel in an envelope
  constexpr int messages = 1500;
  run_pair(
      [&](RankContext& self) {
        const Slice sent = contract::hold_all(self, count, 1);
        std::vector<Pending> sends;
        for (int i = 0; i < messages; ++i) {
          sends.push_back(self.network.send(contract::second, sent, contract::tag));
        }
        for (auto last = sends.rbegin(); last != sends.rend(); ++last) {
          last->wait();
        }
      },
      [&](RankContext& self) {
        const Slice sum = contract::hold_all(self, count, 0);
        for (int i = 0; i < messages; ++i) {
          self.network.recv_accumulate(contract::first, sum, contract::tag).wait();
        }
        contract::require_all(self, sum, messages);
      });
}

TEST_P(FailureContract, StopsTheOthersAndRethrowsTheFirstException) {
  class Enough : public std::exception {};

  expect_failure<Enough>(4, [](RankContext& self) {
    const Slice slice = contract::hold(self, 0);
    switch (index_of(self.network.rank())) {
      case 0:
        return self.network.recv(contract::second, slice, contract::tag).wait();
      case 1:
        throw Enough{};
      case 2:
        return self.network.send(contract::first, slice, contract::tag).wait();
      default:
        return self.processor.compute(Seconds{0.01}).wait();
    }
  });
}

TEST_P(DeadlockContract, WaitingForARankThatHasEndedIsAnError) {
  expect_failure<TransportError>(2, [](RankContext& self) {
    if (self.network.rank() == contract::second) {
      self.network.recv(contract::first, contract::hold(self, 0), contract::tag).wait();
    }
  });
}

TEST_P(DeadlockContract, RanksThatWaitForEachOtherAreAnError) {
  expect_failure<TransportError>(3, [](RankContext& self) {
    const Rank next{(index_of(self.network.rank()) + 1) % 3};
    self.network.recv(next, contract::hold(self, 0), contract::tag).wait();
  });
}

TEST_P(FailureContract, UnequalLengthsThrow) {
  expect_failure<TransportError>(2, [](RankContext& self) {
    if (self.network.rank() == contract::first) {
      self.network.send(contract::second, contract::allocate(self, 8), contract::tag).wait();
    } else {
      self.network.recv(contract::first, contract::allocate(self, 4), contract::tag).wait();
    }
  });
}

// --- Reducer ---

TEST_P(TransportContract, TheReducerRefusesUnequalPartialAndOverlappingSlices) {
  run(1, [](RankContext& self) {
    const BufferId buffer = contract::allocate(self, 16).buffer;
    const Slice other = contract::allocate(self, 16);
    const auto refuses = [&](Slice into, Slice from, const std::string& what) {
      contract::require_throw<ContractViolation>(
          [&] { self.reducer.accumulate(into, from).wait(); }, what);
    };
    refuses({buffer, Bytes{0}, Bytes{8}}, {other.buffer, Bytes{0}, Bytes{4}}, "8 and 4 bytes");
    refuses({buffer, Bytes{0}, Bytes{6}}, {other.buffer, Bytes{0}, Bytes{6}}, "6 bytes of ints");
    refuses({buffer, Bytes{0}, Bytes{8}}, {buffer, Bytes{4}, Bytes{8}}, "an overlap");
    refuses({buffer, Bytes{8}, Bytes{8}}, {other.buffer, Bytes{12}, Bytes{8}}, "a long slice");
  });
}

// --- Reductions: every type with every operation -------------------------------------------------

class ReductionContract : public BackendTest, public ::testing::TestWithParam<ReductionCase> {
 protected:
  static constexpr std::size_t elements = 257;

  static void run(int ranks, const RankProgram& program) {
    BackendTest::run(GetParam().backend, ranks, GetParam().reduction, program);
  }
  static std::vector<std::byte> input(std::uint64_t seed) {
    return contract::varied_elements(GetParam().reduction.type, elements, seed);
  }
  static Slice hold(RankContext& self, const std::vector<std::byte>& bytes) {
    const Slice slice = contract::allocate(self, bytes.size());
    self.memory.write(slice, bytes);
    return slice;
  }
};

TEST_P(ReductionContract, AgreesWithItsDefinitionBitForBit) {
  const Reduction reduction = GetParam().reduction;
  std::vector<std::byte> combined = input(3);
  accumulate_bytes(reduction, combined, input(5));
  accumulate_bytes(reduction, combined, input(7));  // rounds what has been rounded
  std::vector<std::byte> finished = combined;
  finish_bytes(reduction, finished, 3);

  run(2, [&](RankContext& self) {
    const Reduction of_reducer = self.reducer.reduction();
    contract::require(of_reducer.type == reduction.type, "reduces another type");
    contract::require(of_reducer.operation == reduction.operation, "reduces otherwise");

    const Slice local = hold(self, input(3));
    self.reducer.accumulate(local, hold(self, input(5))).wait();
    self.reducer.accumulate(local, hold(self, input(7))).wait();
    contract::require(contract::bytes_of(self, local) == combined, "accumulate() differs");
    self.reducer.finish(local, 3).wait();
    contract::require(contract::bytes_of(self, local) == finished, "finish() differs");

    if (self.network.rank() == contract::first) {
      self.network.send(contract::second, hold(self, input(5)), contract::tag).wait();
      self.network.send(contract::second, hold(self, input(7)), contract::tag).wait();
    } else {
      const Slice into = hold(self, input(3));
      self.network.recv_accumulate(contract::first, into, contract::tag).wait();
      self.network.recv_accumulate(contract::first, into, contract::tag).wait();
      contract::require(contract::bytes_of(self, into) == combined, "recv_accumulate() differs");
    }
  });
}

}  // namespace ringcast
