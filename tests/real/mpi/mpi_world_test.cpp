#include <thread>

#include <sys/resource.h>

#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/collectives/checked_data.hpp"
#include "real/mpi/mpi_allreduce.hpp"
#include "tests/collective_checks.hpp"
#include "tests/real/mpi/mpi_test_world.hpp"

namespace ringcast {
namespace {

using testing::world;

TEST(MpiWorld, GathersTheTextOfEveryRankInTheirOrder) {
  const int rank = index_of(world().rank());

  const std::vector<std::string> texts =
      world().gather(std::string(static_cast<std::size_t>(rank), 'x'));

  ASSERT_EQ(texts.size(), static_cast<std::size_t>(world().size()));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(texts[i], std::string(i, 'x'));
  }
}

TEST(MpiWorld, NumbersTheHostsOfTheRanks) {
  ASSERT_EQ(world().hosts().size(), static_cast<std::size_t>(world().size()));
  EXPECT_EQ(world().node_of(), std::vector<int>(world().hosts().size(), 0));
  EXPECT_EQ(std::ranges::count(world().hosts(), world().hosts().front()), world().size());
}

TEST(MpiTransport, RefusesMoreRanksThanTheWorldHas) {
  EXPECT_THROW(static_cast<void>(make_mpi_transport(world(), {}, {.ranks = world().size() + 1})),
               ContractViolation);
}

TEST(MpiTransport, RunsAgainAfterARunAndAfterAFailure) {
  const auto transport = make_mpi_transport(world(), {}, {.timeout = Seconds{20}});
  int runs = 0;
  const auto exchange = [&](RankContext& self) {
    if (index_of(self.network.rank()) < 2) {
      contract::meet(self, Rank{1 - index_of(self.network.rank())});
    }
    ++runs;
  };

  transport->run(exchange);
  EXPECT_THROW(transport->run([](RankContext& self) {
    const Slice slice = contract::hold(self, 7);
    if (self.network.rank() == contract::first) {
      // It is sent, and never received.
      const Pending lost = self.network.send(contract::second, slice, Tag{1000});
      throw TransportError{"enough"};
    }
    self.network.recv(contract::first, slice, contract::tag).wait();
  }),
               TransportError);
  transport->run(exchange);

  EXPECT_EQ(runs, 2);
}

/// One rank's memory is corrupted after the all-reduce. It names the element, and reports it to the
/// others.
TEST(MpiTransport, AWrongSumIsNamedOnEveryRankAndHasItsExitCode) {
  constexpr std::uint64_t elements = 100'000;
  constexpr std::uint64_t wrong = 77'777;
  for (const bool shared_memory : {true, false}) {
    const auto transport = make_mpi_transport(world(), {}, {.shared_memory = shared_memory});
    std::string text;
    int exit_code = 0;
    try {
      transport->run([&](RankContext& self) {
        const int ranks = self.network.size();
        const CheckedData data{self.memory.allocate(elements * Bytes{4}), elements, {}, ranks};
        data.fill(self.memory, self.network.rank());
        make_allreduce("ring", {{RingOrder::identity(ranks)}, {}})
            ->run({data.buffer, elements}, self);
        data.verify_allreduce(self.memory, self.network.rank());
        if (self.network.rank() == contract::third) {
          const float far_off = -1e6F;
          self.memory.write({data.buffer, Bytes{4 * wrong}, Bytes{4}},
                            std::as_bytes(std::span{&far_off, 1}));
        }
        data.verify_allreduce(self.memory, self.network.rank());
        // Ranks with correct sums wait for the report of the one without.
        self.network.recv(contract::third, contract::hold(self, 0), contract::tag).wait();
      });
    } catch (const Error& error) {
      text = error.what();
      exit_code = exit_code_of(error);
    }

    EXPECT_NE(text.find("rank 2, element 77777: -1000000 (expected "), std::string::npos) << text;
    EXPECT_EQ(exit_code, world().rank() == contract::third ? 5 : 4);
  }
}

TEST(MpiTransport, AnUnreceivedMessageIsNotMatchedInTheNextRun) {
  const auto transport =
      make_mpi_transport(world(), {ElementType::int32, Operation::sum}, {.timeout = Seconds{20}});
  for (const int value : {1, 2}) {
    transport->run([&](RankContext& self) {
      const Slice slice = contract::hold(self, value);
      if (self.network.rank() == contract::first) {
        self.network.send(contract::second, slice, contract::tag).wait();
        const Pending lost = self.network.send(contract::second, slice, contract::tag);
      } else if (self.network.rank() == contract::second) {
        self.network.recv(contract::first, slice, contract::tag).wait();
        contract::require_value(self, slice, value);
      }
    });
  }
}

// Its bytes would be written into memory of the next run.
TEST(MpiTransport, AReceiveThatAFailureEndedTakesNoBytesInTheNextRun) {
  constexpr std::uint64_t length = 256U << 20U;
  const auto transport =
      make_mpi_transport(world(), {}, {.shared_memory = false, .timeout = Seconds{20}});

  EXPECT_THROW(transport->run([](RankContext& self) {
    const Slice slice = contract::allocate(self, length);
    if (self.network.rank() == contract::first) {
      self.network.recv(contract::second, slice, contract::tag).wait();
    } else if (self.network.rank() == contract::second) {
      self.memory.write(slice, std::vector<std::byte>(length, std::byte{1}));
      std::this_thread::sleep_for(std::chrono::milliseconds{300});
      self.network.send(contract::first, slice, contract::tag).wait();
    } else if (self.network.rank() == contract::third) {
      throw TransportError{"enough"};
    }
  }),
               TransportError);
  transport->run([](RankContext& self) {
    if (index_of(self.network.rank()) > 1) return;
    const Slice slice = contract::allocate(self, length);
    for (int i = 0; i < 100; ++i) {
      contract::meet(self, Rank{1 - index_of(self.network.rank())});
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    std::vector<std::byte> bytes(length);
    self.memory.read(slice, bytes);
    const auto foreign = std::ranges::count(bytes, std::byte{1});
    contract::require(foreign == 0, "{} bytes of the run before", foreign);
  });
}

/// The sender does not wait for the timeout for bytes that the receiver never reads.
TEST(MpiTransport, AReceiverThatCannotOpenTheBytesEndsTheRun) {
  const auto transport = make_mpi_transport(world(), {}, {.timeout = Seconds{60}});
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const auto begin = std::chrono::steady_clock::now();

  EXPECT_THROW(transport->run([&](RankContext& self) {
    const Slice slice = contract::allocate(self, 1U << 20U);
    if (self.network.rank() == contract::first) {
      const Pending sent = self.network.send(contract::second, slice, contract::tag);
      self.network.recv(contract::second, contract::hold(self, 0), contract::tag).wait();
    } else if (self.network.rank() == contract::second) {
      const rlimit none{0, before.rlim_max};
      setrlimit(RLIMIT_NOFILE, &none);
      self.network.recv(contract::first, slice, contract::tag).wait();
    }
  }),
               TransportError);
  setrlimit(RLIMIT_NOFILE, &before);

  EXPECT_LT(std::chrono::steady_clock::now() - begin, Seconds{30});
}

/// Ranks that did not fail report which rank did, and why.
TEST(MpiTransport, NamesTheRankThatFailed) {
  const auto transport = make_mpi_transport(world(), {}, {.timeout = Seconds{20}});
  std::string message;

  try {
    transport->run([](RankContext& self) {
      if (self.network.rank() == contract::second) {
        throw WrongResult{"element 5: 27 (expected 28)"};
      }
      self.network.recv(contract::second, contract::hold(self, 0), contract::tag).wait();
    });
  } catch (const Error& error) {
    message = error.what();
  }

  EXPECT_EQ(message, world().rank() == contract::second
                         ? "element 5: 27 (expected 28)"
                         : "rank 1 failed: element 5: 27 (expected 28)");
}

TEST(MpiTransport, AFailureEndsALongComputation) {
  const auto transport = make_mpi_transport(world(), {}, {.timeout = Seconds{20}});
  const auto begin = std::chrono::steady_clock::now();

  EXPECT_THROW(transport->run([](RankContext& self) {
    if (self.network.rank() == contract::first) {
      throw TransportError{"enough"};
    }
    self.processor.compute(Seconds{100}).wait();
  }),
               TransportError);

  EXPECT_LT(std::chrono::steady_clock::now() - begin, Seconds{50});
}

TEST(MpiTransport, ComputationsOfOneRankFollowEachOther) {
  const auto transport = make_mpi_transport(world(), {}, {.ranks = 1, .timeout = Seconds{20}});
  transport->run([](RankContext& self) {
    const Seconds begin = self.network.now();
    Pending one = self.processor.compute(Seconds{0.02});
    Pending two = self.processor.compute(Seconds{0.02});
    two.wait();
    const Seconds took = self.network.now() - begin;
    contract::require(took >= Seconds{0.04}, "both took {} s", took.count());
    one.wait();
  });
}

/// A rank that times out names the peer, the operation and its progress.
TEST(MpiTransport, NamesRankStepAndPeerAfterATimeout) {
  for (const bool shared_memory : {false, true}) {
    const auto transport = make_mpi_transport(
        world(), {}, {.ranks = 2, .shared_memory = shared_memory, .timeout = Seconds{0.5}});
    std::string message;
    try {
      transport->run([](RankContext& self) {
        const Rank peer{1 - index_of(self.network.rank())};
        contract::meet(self, peer);
        if (self.network.rank() == contract::second) {
          self.network.recv(peer, contract::hold(self, 0), Tag{1000}).wait();
        }
      });
    } catch (const TransportError& error) {
      message = error.what();
    }
    const bool takes_part = index_of(world().rank()) < 2;
    EXPECT_EQ(message, takes_part ? "rank 1: recv of 4 bytes from rank 0 under tag 1000, message 2 "
                                    "of the stream: nothing moved for 500 ms"
                                  : "");
  }
}

TEST(MpiAllreduce, CombinesWhatMpiCanCombine) {
  for (const auto type :
       {ElementType::float32, ElementType::float64, ElementType::int32, ElementType::int64}) {
    for (const Operation operation : all_operations) {
      const Reduction reduction{type, operation};
      const auto transport =
          make_mpi_transport(world(), reduction, {.ranks = 3, .timeout = Seconds{20}});
      transport->run([&](RankContext& self) {
        for (const std::uint64_t elements :
             {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{101}}) {
          const Slice data = contract::hold_input(self, elements);
          MpiAllreduce{}.run({data.buffer, elements}, self);
          contract::require_bytes(self, data, contract::expected_of(reduction, 3, elements),
                                  "MPI_Allreduce");
        }
      });
    }
  }
}

TEST(MpiAllreduce, RefusesTypesThatMpiLacks) {
  const auto transport =
      make_mpi_transport(world(), {ElementType::bfloat16, Operation::sum}, {.ranks = 1});
  transport->run([](RankContext& self) {
    contract::require_throw<ContractViolation>(
        [&] {
          MpiAllreduce{}.run({contract::allocate(self, 2).buffer, 1}, self);
        },
        "bfloat16");
  });
}

}  // namespace
}  // namespace ringcast
