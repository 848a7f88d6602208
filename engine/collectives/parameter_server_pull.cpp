#include "engine/collectives/algorithms.hpp"
#include "engine/collectives/server_pieces.hpp"

// The second half of the parameter server's all-reduce (parameter_server_allreduce.cpp): each
// server sends its shard, completed by parameter_server_push(), to all workers, in the order of its
// rounds. Dedicated servers receive nothing. Segments are sent in blocks, three of which are in
// flight at most.
namespace ringcast {
namespace {

constexpr Tag pull_tag{0};
constexpr int ended_after = 2;  // blocks after the one that its messages were started in

/// The server's part of a block: sends its segments to each worker, in the order of the rounds.
void send_block(const ServerRounds& rounds, const ServerPieces& pieces, int shard, int block,
                Endpoint& network, BlockMessages& messages) {
  for (int round = 0; round < rounds.workers(); ++round) {
    const Rank worker = rounds.worker_of(shard, round);
    if (worker != network.rank()) {
      pieces.for_each(shard, block, [&](Slice segment) {
        messages.add(block, network.send(worker, segment, pull_tag));
      });
    }
  }
}

/// The worker's part of a block: receives the segments of every shard that it does not serve.
void receive_block(const ServerRounds& rounds, const ServerPieces& pieces, int block,
                   Endpoint& network, BlockMessages& messages) {
  for (int shard = 0; shard < rounds.shards(); ++shard) {
    const Rank server = rounds.server_of(shard);
    if (server != network.rank()) {
      pieces.for_each(shard, block, [&](Slice segment) {
        messages.add(block, network.recv(server, segment, pull_tag));
      });
    }
  }
}

// All ranks execute the same blocks and wait for earlier ones only: the rank that is furthest
// behind never waits for another.
void pull(const ServerRounds& rounds, const CollectiveRequest& request, RankContext& self) {
  const CollectiveOptions& options = rounds.options();
  expect_whole_job_with_servers(options, self.network);
  const ServerPieces pieces{rounds, request, size_of(self.reducer.reduction().type)};
  const std::optional<int> own = shard_of(options, self.network.rank());
  BlockMessages messages;
  for (int block = 0; block < pieces.blocks.count(); ++block) {
    if (is_worker(options, self.network.rank())) {
      receive_block(rounds, pieces, block, self.network, messages);
    }
    if (own) {
      send_block(rounds, pieces, *own, block, self.network, messages);
    }
    messages.wait_until(block - ended_after);
  }
  messages.wait_until(pieces.blocks.count());
}

}  // namespace

RankPart parameter_server_pull(CollectiveOptions options) {
  return std::bind_front(pull, ServerRounds{std::move(options)});
}

}  // namespace ringcast
