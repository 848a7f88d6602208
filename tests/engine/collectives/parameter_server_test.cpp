#include <gtest/gtest.h>

#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/collectives/server_rounds.hpp"
#include "engine/schedule/chunks.hpp"
#include "tests/collective_checks.hpp"
#include "tests/engine/reference/reference_transport.hpp"

namespace ringcast {
namespace {

constexpr Reduction float_avg{ElementType::float32, Operation::avg};

// Workers 0 1 2 3 in this order; servers 3, 0 and, dedicated, 4, which stands at 2 x 4 / 3 = 2.
TEST(ServerRounds, BeginAfterTheServersOwnPlace) {
  const CollectiveOptions options{
      {RingOrder::identity(4)}, std::nullopt, {}, {Rank{3}, Rank{0}, Rank{4}}};
  const ServerRounds rounds{options};

  EXPECT_EQ(rounds.worker_of(0, 0), Rank{3});
  EXPECT_EQ(rounds.worker_of(0, 1), Rank{0});
  EXPECT_EQ(rounds.worker_of(1, 3), Rank{3});
  EXPECT_EQ(rounds.worker_of(2, 1), Rank{3});
  EXPECT_EQ(shard_of(options, Rank{4}), 2);
  EXPECT_EQ(shard_of(options, Rank{1}), std::nullopt);
}

TEST(ServerRounds, AgreeForServersAndWorkers) {
  const CollectiveOptions options{
      {RingOrder::identity(4)}, std::nullopt, {}, {Rank{3}, Rank{0}, Rank{4}, Rank{5}}};
  const ServerRounds rounds{options};

  for (int round = 0; round < 4; ++round) {
    std::size_t pushes = 0;
    for (int worker = 0; worker < 4; ++worker) {
      for (const int shard : rounds.shards_of(Rank{worker}, round)) {
        EXPECT_EQ(rounds.worker_of(shard, round), Rank{worker});
        ++pushes;
      }
    }
    EXPECT_EQ(pushes, 4U);
  }
}

/// 0 elements, fewer than servers, a few, and two or more blocks of segments of 12 bytes.
constexpr std::uint64_t element_counts[] = {0, 1, 3, 29, 101};

contract::Shape shape_of(int workers, const std::vector<Rank>& servers, std::uint64_t elements,
                         std::optional<Bytes> segment, bool at_once) {
  std::string names;
  for (const Rank server : servers) {
    names += fmt::format(" {}", index_of(server));
  }
  contract::Shape shape{
      elements, contract::ring_options(workers, 1, segment),
      fmt::format("{} elements, {} workers, servers{}", elements, workers, names)};
  shape.options.servers = servers;
  shape.options.serve_at_once = at_once;
  if (at_once) {
    shape.name += ", at once";
  }
  return shape;
}

std::vector<contract::Shape> shapes_of(int workers, const std::vector<Rank>& servers) {
  std::vector<contract::Shape> shapes;
  for (const std::uint64_t elements : element_counts) {
    for (const auto& segment : {std::optional<Bytes>{}, std::optional{4_B}, std::optional{12_B}}) {
      for (const bool at_once : {false, true}) {
        shapes.push_back(shape_of(workers, servers, elements, segment, at_once));
      }
    }
  }
  return shapes;
}

TEST(ParameterServer, SumsOnEverySetOfWorkersThatServe) {
  for (int workers = 1; workers <= 5; ++workers) {
    std::vector<contract::Shape> shapes;
    for (unsigned set = 1; set < 1U << static_cast<unsigned>(workers); ++set) {
      std::vector<Rank> servers;
      for (int rank = workers - 1; rank >= 0; --rank) {
        if ((set >> static_cast<unsigned>(rank)) % 2 == 1) {
          servers.push_back(Rank{rank});
        }
      }
      std::ranges::move(shapes_of(workers, servers), std::back_inserter(shapes));
    }
    ReferenceTransport{workers, float_avg}.run([&](RankContext& self) {
      for (const contract::Shape& shape : shapes) {
        contract::check_allreduce(self, "parameter-server", shape);
        contract::check_halves(self, "parameter-server", shape);
      }
    });
  }
}

/// The shard that is summed on a server, in its buffer.
Slice shard_on(Rank server, const contract::Shape& shape, BufferId data) {
  const auto found = std::ranges::find(shape.options.servers, server);
  const auto shard = static_cast<int>(found - shape.options.servers.begin());
  const Chunks shards{{0, shape.elements}, static_cast<int>(shape.options.servers.size())};
  return slice_of(data, shards[shard], 4_B);
}

/// Workers begin with their inputs; dedicated servers with what must not be in any sum. The whole
/// does what its halves do.
void check_with_dedicated_servers(RankContext& self, const contract::Shape& shape, bool halves) {
  const int workers = shape.options.channels.front().size();
  const Rank me = self.network.rank();
  const bool works = index_of(me) < workers;
  const Slice data = contract::hold_input(self, shape.elements);
  const auto expected = contract::expected_of(self.reducer.reduction(), workers, shape.elements);

  const CollectiveRequest request{data.buffer, shape.elements};
  if (halves) {
    make_allreduce_halves("parameter-server", shape.options).reduce->run(request, self);
    make_allreduce_halves("parameter-server", shape.options).gather->run(request, self);
  } else {
    make_allreduce("parameter-server", shape.options)->run(request, self);
  }

  contract::require_bytes(self, works ? data : shard_on(me, shape, data.buffer), expected,
                          shape.name);
}

TEST(ParameterServer, LeavesOutWhatDedicatedServersHold) {
  for (int workers = 1; workers <= 4; ++workers) {
    for (int dedicated = 1; dedicated <= 5; ++dedicated) {
      for (const bool also_a_worker : {false, true}) {
        std::vector<Rank> servers;
        for (int i = 0; i < dedicated; ++i) {
          servers.push_back(Rank{workers + i});
        }
        if (also_a_worker) {
          servers.push_back(Rank{0});
        }
        const std::vector<contract::Shape> shapes = shapes_of(workers, servers);
        ReferenceTransport{workers + dedicated, float_avg}.run([&](RankContext& self) {
          for (const contract::Shape& shape : shapes) {
            check_with_dedicated_servers(self, shape, false);
            check_with_dedicated_servers(self, shape, true);
          }
        });
      }
    }
  }
}

TEST(ParameterServer, ServesOnTheFirstRankOfEachNodeUnlessTold) {
  // Servers on ranks 0 and 2, so a shard of 12 elements each: 3 others push it and get it back.
  const CollectiveOptions on_two_nodes{{RingOrder::identity(4)}, std::nullopt, {0, 0, 1, 1}};
  const CollectiveOptions on_one{{RingOrder::identity(4)}, std::nullopt};

  EXPECT_EQ(allreduce_message_count("parameter-server", on_two_nodes, 24, 4_B), 2 * 2 * 3);
  EXPECT_EQ(allreduce_message_count("parameter-server", on_one, 24, 4_B), 2 * 3);
}

TEST(ParameterServer, RefusesServersThatLeaveAGapOrComeTwice) {
  CollectiveOptions options{{RingOrder::identity(3)}, std::nullopt};

  options.servers = {Rank{4}};
  EXPECT_THROW(static_cast<void>(make_allreduce("parameter-server", options)), ContractViolation);
  options.servers = {Rank{1}, Rank{1}};
  EXPECT_THROW(static_cast<void>(make_allreduce("parameter-server", options)), ContractViolation);
  options.servers = {Rank{-1}};
  EXPECT_THROW(static_cast<void>(make_allreduce("parameter-server", options)), ContractViolation);
}

TEST(ParameterServer, RefusesAJobWithoutItsDedicatedServer) {
  CollectiveOptions options{{RingOrder::identity(2)}, std::nullopt};
  options.servers = {Rank{2}};
  const auto run = [&](RankContext& self) {
    make_allreduce("parameter-server", options)->run({self.memory.allocate(4_B), 1}, self);
  };

  EXPECT_THROW((ReferenceTransport{2, Reduction{}}.run(run)), ContractViolation);
  EXPECT_THROW((ReferenceTransport{4, Reduction{}}.run(run)), ContractViolation);
  EXPECT_NO_THROW((ReferenceTransport{3, Reduction{}}.run(run)));
}

}  // namespace
}  // namespace ringcast
