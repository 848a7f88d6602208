#include "engine/collectives/parameter_server_pull.hpp"

#include "engine/collectives/server_pieces.hpp"

namespace ringcast {
namespace {

constexpr Tag tag{0};
/// So many blocks after a block's messages began, they have ended.
constexpr int ended_after = 2;

/// What one rank begins, block by block, and later waits for.
class Messages {
 public:
  void begin(int block, Pending message) { under_way_.push_back({block, std::move(message)}); }
  void end_until(int block) {
    while (!under_way_.empty() && under_way_.front().block <= block) {
      under_way_.pop_front().pending.wait();
    }
  }

 private:
  struct Message {
    int block;
    Pending pending;
  };
  Fifo<Message> under_way_;
};

void send_block(const ServerRounds& rounds, const ServerPieces& pieces, int shard, int block,
                Endpoint& network, Messages& messages) {
  for (int round = 0; round < rounds.workers(); ++round) {
    const Rank worker = rounds.worker_of(shard, round);
    if (worker != network.rank()) {
      pieces.for_each(shard, block, [&](Slice segment) {
        messages.begin(block, network.send(worker, segment, tag));
      });
    }
  }
}

void receive_block(const ServerRounds& rounds, const ServerPieces& pieces, int block,
                   Endpoint& network, Messages& messages) {
  for (int shard = 0; shard < rounds.shards(); ++shard) {
    const Rank server = rounds.server_of(shard);
    if (server != network.rank()) {
      pieces.for_each(shard, block, [&](Slice segment) {
        messages.begin(block, network.recv(server, segment, tag));
      });
    }
  }
}

}  // namespace

ParameterServerPull::ParameterServerPull(CollectiveOptions options)
    : options_{checked_with_servers(std::move(options))} {}

// All ranks go through the same blocks and wait for earlier ones only: the rank that is furthest
// behind never waits for another.
void ParameterServerPull::run(const CollectiveRequest& request, RankContext& self) const {
  expect_whole_job_with_servers(options_, self.network);
  const ServerRounds rounds{options_};
  const ServerPieces pieces{options_, rounds, request, size_of(self.reducer.reduction().type)};
  const std::optional<int> own = rounds.shard_of(self.network.rank());
  Messages messages;
  for (int block = 0; block < pieces.blocks.count(); ++block) {
    if (is_worker(options_, self.network.rank())) {
      receive_block(rounds, pieces, block, self.network, messages);
    }
    if (own) {
      send_block(rounds, pieces, *own, block, self.network, messages);
    }
    messages.end_until(block - ended_after);
  }
  messages.end_until(pieces.blocks.count());
}

}  // namespace ringcast
