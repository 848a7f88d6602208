#pragma once

#include <algorithm>

#include "tests/backend_under_test.hpp"

/// The part of the conformance suite (transport_contract.hpp) about memory.hpp and endpoint.hpp.
namespace ringcast {

class TransportContract : public BackendTest, public ::testing::TestWithParam<BackendUnderTest> {
 protected:
  static void run(int ranks, const RankProgram& program) {
    BackendTest::run(GetParam(), ranks, int_sum, program);
  }
  /// Different programs on the first two ranks.
  static void run_pair(const RankProgram& on_first, const RankProgram& on_second) {
    run(2, [&](RankContext& self) {
      (self.network.rank() == contract::first ? on_first : on_second)(self);
    });
  }
};

// --- Memory --------------------------------------------------------------------------------------

TEST_P(TransportContract, NewBuffersAreZeroFilled) {
  run(1, [](RankContext& self) {
    for (const std::byte byte : contract::bytes_of(self, contract::allocate(self, 1001))) {
      contract::require(byte == std::byte{0}, "a new buffer holds {}", static_cast<int>(byte));
    }
  });
}

TEST_P(TransportContract, BuffersLiveUntilTheProgramEnds) {
  run(1, [](RankContext& self) {
    std::vector<Slice> slices;
    for (int i = 0; i < 100; ++i) {
      slices.push_back(contract::hold(self, i));
    }

    for (int i = 0; i < 100; ++i) {
      contract::require_value(self, slices[static_cast<std::size_t>(i)], i);
    }
  });
}

TEST_P(TransportContract, ReadsGetWhatWritesPutIntoASlice) {
  run(1, [](RankContext& self) {
    const Slice whole = contract::allocate(self, 12);
    const Slice middle{whole.buffer, Bytes{4}, Bytes{4}};
    const std::vector<std::byte> ones(4, std::byte{1});

    self.memory.write(middle, ones);

    std::vector<std::byte> expected(12);
    std::fill(expected.begin() + 4, expected.begin() + 8, std::byte{1});
    contract::require(self.memory.holds_data(), "a memory without data under test");
    contract::require(contract::bytes_of(self, middle) == ones, "the slice holds something else");
    contract::require(contract::bytes_of(self, whole) == expected,
                      "bytes beside the slice changed");
  });
}

TEST_P(TransportContract, RefusesSlicesPastTheEndOfTheirBuffer) {
  run(1, [](RankContext& self) {
    const BufferId buffer = contract::allocate(self, 8).buffer;
    constexpr Bytes most{~std::uint64_t{0}};
    for (const Slice slice : {Slice{buffer, Bytes{8}, Bytes{1}}, Slice{buffer, Bytes{0}, Bytes{9}},
                              Slice{buffer, Bytes{9}, Bytes{0}}, Slice{buffer, most, Bytes{2}}}) {
      std::vector<std::byte> bytes(std::min<std::uint64_t>(slice.length.count(), 9));
      const auto what = fmt::format("{} at {} of 8", bytes.size(), slice.offset.count());
      contract::require_throw<ContractViolation>([&] { self.memory.write(slice, bytes); }, what);
      contract::require_throw<ContractViolation>([&] { self.memory.read(slice, bytes); }, what);
    }
  });
}

// --- Endpoint ------------------------------------------------------------------------------------

TEST_P(TransportContract, TheKthSendMatchesTheKthRecv) {
  constexpr int messages = 5;
  run_pair(
      [](RankContext& self) {
        for (int k = 0; k < messages; ++k) {
          self.network.send(contract::second, contract::hold(self, k), contract::tag).wait();
        }
      },
      [](RankContext& self) {
        std::vector<Slice> slices;
        std::vector<Pending> received;
        for (int k = 0; k < messages; ++k) {
          slices.push_back(contract::hold(self, -1));
          received.push_back(self.network.recv(contract::first, slices.back(), contract::tag));
        }
        for (std::size_t k = messages; k-- > 0;) {  // they may be waited for in any order
          received[k].wait();
          contract::require_value(self, slices[k], static_cast<int>(k));
        }
      });
}

TEST_P(TransportContract, RecvAndRecvAccumulateCountAsOneSequence) {
  run_pair(
      [](RankContext& self) {
        for (const int value : {1, 20, 300}) {
          self.network.send(contract::second, contract::hold(self, value), contract::tag).wait();
        }
      },
      [](RankContext& self) {
        const Slice before = contract::hold(self, 5000);
        const Slice between = contract::hold(self, 5000);
        const Slice after = contract::hold(self, 5000);
        Pending one = self.network.recv(contract::first, before, contract::tag);
        Pending two = self.network.recv_accumulate(contract::first, between, contract::tag);
        Pending three = self.network.recv(contract::first, after, contract::tag);
        one.wait();
        two.wait();
        three.wait();
        contract::require_value(self, before, 1);
        contract::require_value(self, between, 5020);
        contract::require_value(self, after, 300);
      });
}

TEST_P(TransportContract, TagsMatchIndependently) {
  run_pair(
      [](RankContext& self) {
        Pending under_tag =
            self.network.send(contract::second, contract::hold(self, 1), contract::tag);
        self.network.send(contract::second, contract::hold(self, 2), contract::other_tag).wait();
        under_tag.wait();
      },
      [](RankContext& self) {
        const Slice under_other_tag = contract::hold(self, 0);
        const Slice under_tag = contract::hold(self, 0);
        self.network.recv(contract::first, under_other_tag, contract::other_tag).wait();
        self.network.recv(contract::first, under_tag, contract::tag).wait();
        contract::require_value(self, under_other_tag, 2);
        contract::require_value(self, under_tag, 1);
      });
}

TEST_P(TransportContract, SendersMatchIndependently) {
  run(3, [](RankContext& self) {
    if (self.network.rank() != contract::first) {
      const Slice mine = contract::hold(self, index_of(self.network.rank()));
      self.network.send(contract::first, mine, contract::tag).wait();
      return;
    }
    const Slice from_third = contract::hold(self, 0);
    const Slice from_second = contract::hold(self, 0);
    self.network.recv(contract::third, from_third, contract::tag).wait();
    self.network.recv(contract::second, from_second, contract::tag).wait();
    contract::require_value(self, from_third, 2);
    contract::require_value(self, from_second, 1);
  });
}

TEST_P(TransportContract, MessagesUnderOneTagArriveOneAfterTheOther) {
  constexpr std::uint64_t large = 1U << 20U;
  run_pair(
      [](RankContext& self) {
        Pending before =
            self.network.send(contract::second, contract::allocate(self, large), contract::tag);
        self.network.send(contract::second, contract::hold(self, 1), contract::tag).wait();
        before.wait();
      },
      [](RankContext& self) {
        const Slice small = contract::hold(self, 0);
        Pending before =
            self.network.recv(contract::first, contract::allocate(self, large), contract::tag);
        self.network.recv(contract::first, small, contract::tag).wait();
        const Seconds small_arrived = self.network.now();
        before.wait();
        // The large message had arrived: waiting for it takes hardly any time.
        const Seconds waited = self.network.now() - small_arrived;
        contract::require(waited < Seconds{0.1}, "waited {} s longer", waited.count());
        contract::require_value(self, small, 1);
      });
}

TEST_P(TransportContract, RefusesPeersThatAreNoOtherRank) {
  run(2, [](RankContext& self) {
    const Slice slice = contract::hold(self, 0);
    for (const Rank peer : {self.network.rank(), Rank{-1}, Rank{2}}) {
      const auto what = fmt::format("rank {} as a peer", index_of(peer));
      contract::require_throw<ContractViolation>(
          [&] { self.network.send(peer, slice, contract::tag).wait(); }, what);
      contract::require_throw<ContractViolation>(
          [&] { self.network.recv(peer, slice, contract::tag).wait(); }, what);
      contract::require_throw<ContractViolation>(
          [&] { self.network.recv_accumulate(peer, slice, contract::tag).wait(); }, what);
    }
  });
}

TEST_P(TransportContract, RefusesMessagesOfNoLengthAndPartsOfElements) {
  run(2, [](RankContext& self) {
    const Rank peer{1 - index_of(self.network.rank())};
    const BufferId buffer = contract::hold(self, 0).buffer;
    const Slice empty{buffer, Bytes{0}, Bytes{0}};
    const Slice part{buffer, Bytes{0}, Bytes{3}};
    contract::require_throw<ContractViolation>(
        [&] { self.network.send(peer, empty, contract::tag).wait(); }, "an empty send");
    contract::require_throw<ContractViolation>(
        [&] { self.network.recv(peer, empty, contract::tag).wait(); }, "an empty recv");
    contract::require_throw<ContractViolation>(
        [&] { self.network.recv_accumulate(peer, part, contract::tag).wait(); }, "3/4 of an int");
  });
}

TEST_P(TransportContract, RefusesMessagesPastTheEndOfTheirBuffer) {
  run(2, [](RankContext& self) { contract::require_bounded_messages(self); });
}

TEST_P(TransportContract, ASentSliceMayBeOverwrittenAndAReceivedOneRead) {
  run_pair(
      [](RankContext& self) {
        const Slice slice = contract::hold(self, 1);
        self.network.send(contract::second, slice, contract::tag).wait();
        constexpr int later = 2;
        self.memory.write(slice, std::as_bytes(std::span{&later, 1}));
        contract::meet(self, contract::second);
      },
      [](RankContext& self) {
        const Slice slice = contract::hold(self, 0);
        Pending received = self.network.recv(contract::first, slice, contract::tag);
        contract::meet(self, contract::first);
        received.wait();
        contract::require_value(self, slice, 1);
      });
}

TEST_P(TransportContract, PostedRecvsLetSendsEndInAnyOrderOfWaiting) {
  constexpr std::uint64_t large = 3U << 20U;  // beyond any eager limit
  run(5, [](RankContext& self) {
    const int rank = index_of(self.network.rank());
    const Slice incoming = contract::allocate(self, large);
    const Slice outgoing = contract::allocate(self, large);
    self.memory.write(outgoing, std::vector<std::byte>(large, static_cast<std::byte>(rank + 1)));
    Pending received = self.network.recv(Rank{(rank + 4) % 5}, incoming, contract::tag);
    Pending sent = self.network.send(Rank{(rank + 1) % 5}, outgoing, contract::tag);

    sent.wait();  // all ranks wait here: no recv has been waited for yet
    received.wait();

    const std::vector<std::byte> expected(large, static_cast<std::byte>((rank + 4) % 5 + 1));
    contract::require(contract::bytes_of(self, incoming) == expected, "rank {} got others", rank);
  });
}

TEST_P(TransportContract, ADroppedRecvTakesNoMessage) {
  run_pair(
      [](RankContext& self) {
        contract::meet(self, contract::second);
        self.network.send(contract::second, contract::hold(self, 1), contract::tag).wait();
      },
      [](RankContext& self) {
        const Slice dropped = contract::hold(self, -1);
        const Slice taken = contract::hold(self, -1);
        { const Pending pending = self.network.recv(contract::first, dropped, contract::tag); }
        contract::meet(self, contract::first);
        self.network.recv(contract::first, taken, contract::tag).wait();
        contract::require_value(self, taken, 1);
        contract::require_value(self, dropped, -1);
      });
}

TEST_P(TransportContract, ABackendWithDataLeavesNoRoundsOut) {
  run(2, [](RankContext& self) {
    contract::require(self.memory.holds_data(), "a memory without data under test");
    const std::int64_t left_out = self.network.repeats({7});
    contract::require(left_out == 0, "{} rounds left out", left_out);
  });
}

TEST_P(TransportContract, TheClockNeverGoesBack) {
  run(2, [](RankContext& self) {
    Seconds last{0};
    for (int i = 0; i < 100; ++i) {
      const Seconds now = self.network.now();
      contract::require(now >= last, "{} s after {} s", now.count(), last.count());
      last = now;
    }
  });
}

}  // namespace ringcast
