#include "engine/collectives/parameter_server_async.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "engine/schedule/chunks.hpp"
#include "tests/collective_checks.hpp"
#include "tests/engine/reference/reference_transport.hpp"

namespace ringcast {
namespace {

constexpr Reduction async_int_sum{ElementType::int32, Operation::sum};
constexpr int async_iterations = 5;

/// The iterations of a worker; each has its own number if these are `unequal`.
int iterations_of(Rank worker, bool unequal) {
  return unequal ? 1 + index_of(worker) % async_iterations : async_iterations;
}

/// The element that rank r pushes everywhere; the sum of several tells how often each was added.
int gradient_of(Rank rank) {
  return 1 << (3 * index_of(rank));
}

std::vector<std::byte> filled(std::uint64_t elements, int value) {
  return contract::elements_as_bytes(ElementType::int32, elements,
                                     [value](std::uint64_t) { return value; });
}

int element_of(RankContext& self, BufferId buffer, std::uint64_t element) {
  return contract::value_of(self, slice_of(buffer, {element, 1}, 4_B));
}

/// How often the gradient of a rank is in a sum.
int times_added(Rank rank, int sum) {
  return sum / gradient_of(rank) % 8;
}

void push_and_pull(RankContext& self, const std::vector<Rank>& servers, std::uint64_t elements,
                   int calls_of_workers = 1, bool unequal = false) {
  const Rank me = self.network.rank();
  const Slice gradients = contract::allocate(self, elements * 4);
  const Slice parameters = contract::allocate(self, elements * 4);
  self.memory.write(gradients, filled(elements, gradient_of(me)));
  const auto server = std::ranges::find(servers, me);
  const int calls = server == servers.end() ? calls_of_workers : 1;
  for (int call = 0; call < calls; ++call) {
    parameter_server_async(servers,
                           {gradients.buffer, parameters.buffer, elements,
                            [&](Rank worker) { return iterations_of(worker, unequal) / calls; }},
                           self);
  }

  const Chunks shards{{0, elements}, static_cast<int>(servers.size())};
  if (server != servers.end()) {
    // All pushes of all workers.
    const ElementRange shard = shards[static_cast<int>(server - servers.begin())];
    for (std::uint64_t i = shard.first; i < shard.first + shard.count; ++i) {
      for (int rank = 0; rank < self.network.size(); ++rank) {
        const bool serves = std::ranges::find(servers, Rank{rank}) != servers.end();
        const int times = times_added(Rank{rank}, element_of(self, parameters.buffer, i));
        contract::require(times == (serves ? 0 : iterations_of(Rank{rank}, unequal)),
                          "rank {}: {} pushes of rank {}", index_of(me), times, rank);
      }
    }
    return;
  }
  // All of its own, and those of the others as far as they were there.
  for (std::uint64_t i = 0; i < elements; ++i) {
    const int times = times_added(me, element_of(self, parameters.buffer, i));
    contract::require(times == iterations_of(me, unequal), "rank {} pulled {} of its pushes",
                      index_of(me), times);
  }
}

// Even on this backend, whose servers answer in turn: it cannot tell which push has arrived.
TEST(ParameterServerAsync, AddsEveryPushOnce) {
  for (const bool unequal : {false, true})
    for (int workers = 1; workers <= 5; ++workers) {
      for (int serving = 1; serving <= 3; ++serving) {
        for (const std::uint64_t elements : {0U, 1U, 2U, 31U}) {
          std::vector<Rank> servers;
          for (int i = 0; i < serving; ++i) {
            servers.push_back(Rank{i % 2 == 0 ? i / 2 : workers + i});
          }
          ReferenceTransport{workers + serving, async_int_sum}.run(
              [&](RankContext& self) { push_and_pull(self, servers, elements, 1, unequal); });
        }
      }
    }
}

TEST(ParameterServerAsync, ServesWorkersThatCallForEachIteration) {
  ReferenceTransport{5, async_int_sum}.run([](RankContext& self) {
    push_and_pull(self, {Rank{0}, Rank{3}}, 31, async_iterations);
  });
}

TEST(ParameterServerAsync, RefusesJobsItCannotRun) {
  const auto run = [](std::vector<Rank> servers, int rounds) {
    ReferenceTransport{2, async_int_sum}.run([&](RankContext& self) {
      const BufferId data = self.memory.allocate(4_B);
      parameter_server_async(servers, {data, data, 1, [&](Rank) { return rounds; }}, self);
    });
  };
  EXPECT_THROW(run({}, 1), ContractViolation);
  EXPECT_THROW(run({Rank{0}, Rank{0}}, 1), ContractViolation);
  EXPECT_THROW(run({Rank{0}, Rank{1}}, 1), ContractViolation);  // no worker
  EXPECT_THROW(run({Rank{2}}, 1), ContractViolation);           // no such server
  EXPECT_THROW(run({Rank{0}}, 0), ContractViolation);
}

}  // namespace
}  // namespace ringcast
