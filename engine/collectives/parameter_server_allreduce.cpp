#include "engine/collectives/parameter_server_allreduce.hpp"

#include "engine/collectives/server_pieces.hpp"

namespace ringcast {
namespace {

// Two servers push to each other and send each other results: one stream for each.
constexpr Tag pushes{0};
constexpr Tag results{1};

// So many blocks after one was pushed, at the latest:
constexpr int expected_after = 1;  // its results are awaited
constexpr int combined_after = 2;  // its results are sent
constexpr int taken_after = 3;     // its results have come

/// What of it a rank does.
struct Way {
  bool at_once;  // CollectiveOptions::serve_at_once
  bool answers;  // false: results stay on the servers
};

/// The server's part of a rank: combines what comes for its shard, and sends the results.
class Server {
 public:
  Server(const ServerRounds& rounds, const ServerPieces& pieces, int shard, Way way,
         RankContext& self)
      : rounds_{&rounds}, pieces_{&pieces}, shard_{shard}, answers_{way.answers}, self_{&self} {
    // The first worker's contribution, or the server's own, is where the sum will be.
    for (int round = 1; way.at_once && round < rounds.workers(); ++round) {
      scratch_.push_back(self.memory.allocate(whole().length));
    }
  }

  void begin_block(int block) {
    while (!coming_.empty() && coming_.front().block <= block - combined_after) {
      finish_oldest();
    }
    while (!results_.empty() && results_.front().block <= block - taken_after) {
      results_.pop_front().sent.wait();
    }
  }

  void run_round(int block, int round) {
    const Rank worker = rounds_->worker_of(shard_, round);
    if (worker == self_->network.rank()) {
      return;  // its own contribution is there
    }
    const bool is_first = round == 0;
    const bool is_last = round + 1 == rounds_->workers();
    pieces_->for_each(shard_, block, [&](Slice segment) {
      if (!scratch_.empty() && !is_first) {
        const Slice apart = scratch_for(segment, round);
        coming_.push_back(
            {self_->network.recv(worker, apart, pushes), segment, block, is_last, apart});
        return;
      }
      while (scratch_.empty() && (coming_.size() == segments_in_block || is_coming(segment))) {
        finish_oldest();
      }
      coming_.push_back({is_first ? self_->network.recv(worker, segment, pushes)
                                  : self_->network.recv_accumulate(worker, segment, pushes),
                         segment, block, is_last, std::nullopt});
    });
  }

 private:
  struct Contribution {
    Pending received;
    Slice segment;
    int block;
    bool is_last;
    std::optional<Slice> apart;  // where it comes in, if not in `segment`
  };
  struct Result {
    int block;
    Pending sent;
  };

  [[nodiscard]] Slice whole() const {
    return slice_of(pieces_->data, pieces_->shards[shard_], pieces_->element_size);
  }
  [[nodiscard]] Slice scratch_for(Slice segment, int round) const {
    const Bytes place{segment.offset.count() - whole().offset.count()};
    return {scratch_[static_cast<std::size_t>(round - 1)], place, segment.length};
  }

  /// From the worker before: two arrivals can not own one slice.
  [[nodiscard]] bool is_coming(Slice segment) {
    for (std::size_t i = 0; i < coming_.size(); ++i) {
      if (coming_[i].segment == segment) {
        return true;
      }
    }
    return false;
  }

  void finish_oldest() {
    Contribution oldest = coming_.pop_front();
    oldest.received.wait();
    if (oldest.apart) {
      self_->reducer.accumulate(oldest.segment, *oldest.apart).wait();
    }
    if (!oldest.is_last) {
      return;
    }
    self_->reducer.finish(oldest.segment, rounds_->workers()).wait();
    for (int round = 0; answers_ && round < rounds_->workers(); ++round) {
      const Rank worker = rounds_->worker_of(shard_, round);
      if (worker != self_->network.rank()) {
        results_.push_back({oldest.block, self_->network.send(worker, oldest.segment, results)});
      }
    }
  }

  const ServerRounds* rounds_;
  const ServerPieces* pieces_;
  int shard_;
  bool answers_;
  RankContext* self_;
  std::vector<BufferId> scratch_;  // by round, but for the first; none: one after the other
  Fifo<Contribution> coming_;
  Fifo<Result> results_;
};

/// The worker's part of a rank, for one shard: pushes segments, and gets results in their place.
class Pusher {
 public:
  Pusher(const ServerPieces& pieces, int shard, Rank server, bool answered, RankContext& self)
      : pieces_{&pieces}, shard_{shard}, server_{server}, answered_{answered}, self_{&self} {}

  void push(int block) {
    pieces_->for_each(shard_, block, [&](Slice segment) {
      pushed_.push_back(self_->network.send(server_, segment, pushes));
    });
  }
  void follow(int block) {
    pieces_->for_each(shard_, block - expected_after, [&](Slice segment) {
      pushed_.pop_front().wait();
      if (answered_) {
        expected_.push_back(self_->network.recv(server_, segment, results));
      }
    });
    if (answered_) {
      pieces_->for_each(shard_, block - taken_after, [&](Slice) { expected_.pop_front().wait(); });
    }
  }

 private:
  const ServerPieces* pieces_;
  int shard_;
  Rank server_;
  bool answered_;
  RankContext* self_;
  Fifo<Pending> pushed_;
  Fifo<Pending> expected_;
};

/// Whom a rank pushes to: nobody, if it is a dedicated server.
class Worker {
 public:
  Worker(const ServerRounds& rounds, const ServerPieces& pieces, bool answered, RankContext& self)
      : rounds_{&rounds}, me_{self.network.rank()} {
    for (int shard = 0; shard < rounds.shards(); ++shard) {
      pushers_.emplace_back(pieces, shard, rounds.server_of(shard), answered, self);
    }
  }

  void push(int block, int round) {
    for_each_shard(round, [block](Pusher& pusher) { pusher.push(block); });
  }
  void follow(int block, int round) {
    for_each_shard(round, [block](Pusher& pusher) { pusher.follow(block); });
  }

 private:
  template <typename Visit>
  void for_each_shard(int round, const Visit& visit) {
    for (const int shard : rounds_->shards_of(me_, round)) {
      if (rounds_->server_of(shard) != me_) {
        visit(pushers_[static_cast<std::size_t>(shard)]);
      }
    }
  }

  const ServerRounds* rounds_;
  Rank me_;
  std::vector<Pusher> pushers_;
};

/// All ranks go through the same rounds, and begin what others may wait for before they wait: for
/// what began in a round before. So the rank that is furthest behind never waits for another.
void run_rounds(const ServerRounds& rounds, const ServerPieces& pieces,
                std::optional<Server>& server, std::optional<Worker>& worker) {
  for (int block = 0; block < pieces.blocks.count() + taken_after; ++block) {
    if (server) {
      server->begin_block(block);
    }
    for (int round = 0; round < rounds.workers(); ++round) {
      if (worker) {
        worker->push(block, round);
      }
      if (server) {
        server->run_round(block, round);
      }
      if (worker) {
        worker->follow(block, round);
      }
    }
  }
  if (server) {
    server->begin_block(pieces.blocks.count() + taken_after);
  }
}

void exchange(const CollectiveOptions& options, const CollectiveRequest& request, bool answers,
              RankContext& self) {
  const Rank me = self.network.rank();
  expect_whole_job_with_servers(options, self.network);
  const ServerRounds rounds{options};
  const ServerPieces pieces{options, rounds, request, size_of(self.reducer.reduction().type)};
  std::optional<Server> server;
  if (const auto shard = rounds.shard_of(me)) {
    server.emplace(rounds, pieces, *shard, Way{options.serve_at_once, answers}, self);
  }
  std::optional<Worker> worker;
  if (is_worker(options, me)) {
    worker.emplace(rounds, pieces, answers, self);
  }
  run_rounds(rounds, pieces, server, worker);
}

}  // namespace

ParameterServerPush::ParameterServerPush(CollectiveOptions options)
    : options_{checked_with_servers(std::move(options))} {}

void ParameterServerPush::run(const CollectiveRequest& request, RankContext& self) const {
  exchange(options_, request, false, self);
}

ParameterServerAllreduce::ParameterServerAllreduce(CollectiveOptions options)
    : options_{checked_with_servers(std::move(options))} {}

double ParameterServerAllreduce::messages(const CollectiveOptions& given, std::uint64_t elements,
                                          Bytes element_size) {
  const CollectiveOptions options = with_servers(given);
  const Chunks shards{{0, elements}, static_cast<int>(options.servers.size())};
  const double segments = message_count(shards.largest(), options, element_size);
  double count = 0;
  for (const Rank server : options.servers) {
    const int others = options.channels.front().size() - (is_worker(options, server) ? 1 : 0);
    count += 2.0 * others * segments;
  }
  return count;
}

void ParameterServerAllreduce::run(const CollectiveRequest& request, RankContext& self) const {
  exchange(options_, request, true, self);
}

}  // namespace ringcast
