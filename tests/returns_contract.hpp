#pragma once

#include <exception>

#include "tests/endpoint_contract.hpp"

/// The part of the conformance suite (transport_contract.hpp) about slices sent with Returns.
namespace ringcast {

/// The failure of one rank, as the others and the caller see it.
class FailureContract : public TransportContract {
 protected:
  template <typename Expected>
  static void expect_failure(int ranks, const RankProgram& program) {
    const std::unique_ptr<Transport> transport = GetParam().make(ranks, int_sum);
    if (!transport) {
      GTEST_SKIP() << "no " << ranks << " ranks on " << GetParam().name;
    }
    if (!GetParam().is_a_rank) {
      EXPECT_THROW(transport->run(program), Expected);
      return;
    }
    expect_failure_in_processes<Expected>(*transport, program);
  }

 private:
  /// Where the rank that failed is, that exception comes out; elsewhere a TransportError.
  template <typename Expected>
  static void expect_failure_in_processes(Transport& transport, const RankProgram& program) {
    bool threw_expected = false;
    bool was_told = false;
    try {
      transport.run(program);
    } catch (const std::exception& failure) {
      threw_expected = dynamic_cast<const Expected*>(&failure) != nullptr;
      was_told = dynamic_cast<const TransportError*>(&failure) != nullptr;
    }
    EXPECT_EQ(threw_expected || was_told, GetParam().is_a_rank(transport.size()));
    EXPECT_TRUE(GetParam().is_true_anywhere(threw_expected));
  }
};

TEST_P(TransportContract, LentSlicesComeBackAsAnswered) {
  // Lengths that travel inside and beside a message's envelope, in turns.
  const std::vector<std::uint64_t> ints{1, 1024, 1025, 3, 100'003, 2};
  run_pair(
      [&](RankContext& self) {
        std::vector<Slice> slices;
        std::vector<Pending> lent;
        for (const std::uint64_t count : ints) {
          slices.push_back(contract::hold_all(self, count, 1));
          lent.push_back(self.network.send(contract::second, slices.back(), contract::tag,
                                           Returns{contract::other_tag}));
        }
        for (std::size_t k = 0; k < ints.size(); ++k) {
          lent[k].wait();
        }
        for (std::size_t k = 0; k < ints.size(); ++k) {
          self.network.recv(contract::second, slices[k], contract::other_tag).wait();
          contract::require_all(self, slices[k], static_cast<int>(k) + 11);
        }
      },
      [&](RankContext& self) {
        std::vector<Slice> slices;
        for (std::size_t k = 0; k < ints.size(); ++k) {
          slices.push_back(contract::hold_all(self, ints[k], static_cast<int>(k) + 10));
          self.network.recv_accumulate(contract::first, slices[k], contract::tag).wait();
        }
        for (const Slice& slice : slices) {
          self.network.send(contract::first, slice, contract::other_tag).wait();
        }
      });
}

TEST_P(TransportContract, TwoRanksMayLendToEachOther) {
  constexpr std::uint64_t count = 50'000;
  run(2, [](RankContext& self) {
    const Rank peer{1 - index_of(self.network.rank())};
    const Slice kept = contract::hold_all(self, count, 2);
    const Slice given = contract::hold_all(self, count, 3);
    for (int round = 0; round < 3; ++round) {
      Pending came = self.network.recv_accumulate(peer, kept, contract::tag);
      self.network.send(peer, given, contract::tag, Returns{contract::other_tag}).wait();
      came.wait();
      Pending answered = self.network.recv(peer, given, contract::other_tag);
      self.network.send(peer, kept, contract::other_tag).wait();
      answered.wait();
    }
    // 2 + 3 = 5 comes back to both, then 5 + 5 and 10 + 10.
    contract::require_all(self, kept, 20);
    contract::require_all(self, given, 20);
  });
}

// More than a table of messages under way may have room for.
TEST_P(TransportContract, ManySlicesMayBeLentAtOnce) {
  constexpr std::uint64_t count = 2000;  // ints: too many to travel in an envelope
  constexpr int slices = 1500;
  const auto slice_of = [](Slice whole, int i) {
    const Bytes length{count * sizeof(int)};
    return Slice{whole.buffer, static_cast<std::uint64_t>(i) * length, length};
  };
  run_pair(
      [&](RankContext& self) {
        const Slice all = contract::hold_all(self, slices * count, 1);
        std::vector<Pending> lent;
        for (int i = 0; i < slices; ++i) {
          lent.push_back(self.network.send(contract::second, slice_of(all, i), contract::tag,
                                           Returns{contract::other_tag}));
        }
        for (Pending& each : lent) {
          each.wait();
        }
        std::vector<Pending> answers;
        for (int i = 0; i < slices; ++i) {
          answers.push_back(
              self.network.recv(contract::second, slice_of(all, i), contract::other_tag));
        }
        for (Pending& answer : answers) {
          answer.wait();
        }
        contract::require_all(self, all, 3);
      },
      [&](RankContext& self) {
        const Slice all = contract::hold_all(self, slices * count, 2);
        std::vector<Pending> arrivals;
        for (int i = 0; i < slices; ++i) {
          arrivals.push_back(
              self.network.recv_accumulate(contract::first, slice_of(all, i), contract::tag));
        }
        for (Pending& arrival : arrivals) {
          arrival.wait();
        }
        for (int i = 0; i < slices; ++i) {
          self.network.send(contract::first, slice_of(all, i), contract::other_tag).wait();
        }
      });
}

TEST_P(FailureContract, AnAnswerOfAnotherLengthThrows) {
  expect_failure<TransportError>(2, [](RankContext& self) {
    const Slice lent = contract::allocate(self, 100'000);
    if (self.network.rank() == contract::first) {
      self.network.send(contract::second, lent, contract::tag, Returns{contract::other_tag}).wait();
      self.network.recv(contract::second, lent, contract::other_tag).wait();
    } else {
      const Slice part{lent.buffer, Bytes{0}, Bytes{2000}};  // it would fit into an envelope
      self.network.recv(contract::first, lent, contract::tag).wait();
      self.network.send(contract::first, part, contract::other_tag).wait();
    }
  });
}

TEST_P(FailureContract, ABorrowerThatFailsStopsTheLender) {
  class Enough : public std::exception {};

  expect_failure<Enough>(2, [](RankContext& self) {
    const Slice lent = contract::allocate(self, 100'000);
    if (self.network.rank() == contract::first) {
      self.network.send(contract::second, lent, contract::tag, Returns{contract::other_tag}).wait();
      self.network.recv(contract::second, lent, contract::other_tag).wait();
    } else {
      self.network.recv(contract::first, lent, contract::tag).wait();
      throw Enough{};
    }
  });
}

}  // namespace ringcast
