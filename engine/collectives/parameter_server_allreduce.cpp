#include "engine/collectives/algorithms.hpp"
#include "engine/collectives/server_pieces.hpp"

// Synchronous parameter server: the buffer is cut into one shard per server. Every worker pushes
// its contribution to a shard to the shard's server, which combines the contributions and sends the
// result to all workers. A server may be a worker too. For 4 workers, of which 0 and 2 serve:
//
//   round         0      1       2       3        then
//   server 0     own   from 1  from 2  from 3     sends x0+x1+x2+x3 of shard 0 to 1, 2, 3
//   server 2     own   from 3  from 0  from 1     sends x2+x3+x0+x1 of shard 1 to 3, 0, 1
//
// In round r a server receives the push of the worker r positions after it (server_rounds.hpp), so
// no two servers that are workers wait for the same worker, and each shard is summed in a fixed
// order: the sums have the same bits in every run. With CollectiveOptions::serve_at_once all pushes
// are received at once, each in its own scratch, and are added in the same order.
//
// With S the size, k servers, c workers that push to each (n, or n-1 if servers are workers), a the
// latency, b the bandwidth, g the reduction time per byte, for whole shards, servers that are
// workers:
//   T = c (a + S/(k b) + S/k g) + a + c S/(k b)
// With k = n it sends as many bytes as a ring; with k = 1 it is the single reducer (Li et al. 2014,
// "Scaling Distributed Machine Learning with the Parameter Server", in synchronous steps).
//
// Segments are pushed in blocks: while one block is pushed, the results of earlier ones are sent
// back. A rank beyond those of the ring orders is a dedicated server: it calls with a buffer of the
// same length, whose content is ignored, and ends with the result of its shard in it.
namespace ringcast {
namespace {

// Two servers may both push and send results to each other, on separate streams.
constexpr Tag push_tag{0};
constexpr Tag result_tag{1};

// The pipeline: after pushing block i + k, at the latest,
constexpr int expected_after = 1;  // the worker has posted the receives of block i's results,
constexpr int combined_after = 2;  // the server has sent them,
constexpr int taken_after = 3;     // and the worker has received them.

struct ServerMode {
  bool at_once;  // CollectiveOptions::serve_at_once
  bool answers;  // false: results stay on the servers
};

/// A rank's part as a server: combines the pushes for its shard, and sends the results.
class Server {
 public:
  Server(const ServerRounds& rounds, const ServerPieces& pieces, int shard, ServerMode mode,
         RankContext& self)
      : rounds_{&rounds}, pieces_{&pieces}, shard_{shard}, answers_{mode.answers}, self_{&self} {
    // The sum is accumulated in the shard itself, which has the first push or the server's own
    // part.
    if (mode.at_once && rounds.workers() > 1) {
      scratch_ =
          self.memory.scratch(static_cast<std::uint64_t>(rounds.workers() - 1) * whole().length);
    }
  }

  /// Waits for the messages of earlier blocks, by the pipeline's rule.
  void begin_block(int block) {
    while (!coming_.empty() && coming_.front().block <= block - combined_after) {
      finish_oldest();
    }
    results_.wait_until(block - taken_after);
  }

  /// Posts the receives of a round; combines older pushes where these receives depend on them.
  void run_round(int block, int round) {
    const Rank worker = rounds_->worker_of(shard_, round);
    if (worker == self_->network.rank()) {
      return;  // its own part is in place
    }
    const bool is_first = round == 0;
    const bool is_last = round + 1 == rounds_->workers();
    pieces_->for_each(shard_, block, [&](Slice segment) {
      if (scratch_ && !is_first) {
        const Slice apart = scratch_for(segment, round);
        coming_.push_back(
            {self_->network.recv(worker, apart, push_tag), segment, block, is_last, apart});
        return;
      }
      // One after the other: several segments of a worker's push are in flight, but a segment of
      // the next worker is received only after this worker's has been added.
      while (!scratch_ && (coming_.size() == segments_in_block || is_coming(segment))) {
        finish_oldest();
      }
      coming_.push_back({is_first ? self_->network.recv(worker, segment, push_tag)
                                  : self_->network.recv_accumulate(worker, segment, push_tag),
                         segment, block, is_last, std::nullopt});
    });
  }

 private:
  struct Contribution {
    Pending received;
    Slice segment;
    int block;
    bool is_last;
    std::optional<Slice> apart;  // the scratch that it arrives in, if not `segment`
  };

  [[nodiscard]] Slice whole() const {
    return slice_of(pieces_->data, pieces_->shards[shard_], pieces_->element_size);
  }
  [[nodiscard]] Slice scratch_for(Slice segment, int round) const {
    const Bytes place{segment.offset.count() - whole().offset.count()};
    const Bytes slot = static_cast<std::uint64_t>(round - 1) * whole().length;
    return {*scratch_, slot + place, segment.length};
  }

  /// Whether an earlier worker's push of the segment is in flight: two arrivals cannot own one
  /// slice.
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
    // Oldest first: contributions are added in the order of the rounds, not of arrival.
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
        results_.add(oldest.block, self_->network.send(worker, oldest.segment, result_tag));
      }
    }
  }

  const ServerRounds* rounds_;
  const ServerPieces* pieces_;
  int shard_;
  bool answers_;
  RankContext* self_;
  /// With serve_at_once: a slot for each round from the second on.
  std::optional<BufferId> scratch_;
  Fifo<Contribution> coming_;
  BlockMessages results_;
};

/// A rank's part as a worker, for one shard: pushes segments, and receives results in their place.
class Pusher {
 public:
  Pusher(const ServerPieces& pieces, int shard, Rank server, bool answered, RankContext& self)
      : pieces_{&pieces}, shard_{shard}, server_{server}, answered_{answered}, self_{&self} {}

  /// Starts the sends of a block.
  void push(int block) {
    pieces_->for_each(shard_, block, [&](Slice segment) {
      pushed_.push_back(self_->network.send(server_, segment, push_tag));
    });
  }
  /// Waits for the sends of an earlier block and posts the receives of its results into the same
  /// slices; waits for the receives of a still earlier one.
  void follow(int block) {
    pieces_->for_each(shard_, block - expected_after, [&](Slice segment) {
      pushed_.pop_front().wait();
      if (answered_) {
        expected_.push_back(self_->network.recv(server_, segment, result_tag));
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

/// A rank's part as a worker, for all shards but its own.
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

/// All ranks execute the same rounds. In each, a rank starts the messages that others may wait for
/// before it waits itself, and it waits for messages of earlier rounds only: the rank that is
/// furthest behind never waits for another, so there is no deadlock.
void run_rounds(const ServerRounds& rounds, const ServerPieces& pieces,
                std::optional<Server>& server, std::optional<Worker>& worker) {
  // The last blocks push nothing and drain the pipeline.
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

void push_and_answer(const ServerRounds& rounds, bool answers, const CollectiveRequest& request,
                     RankContext& self) {
  const CollectiveOptions& options = rounds.options();
  const Rank me = self.network.rank();
  expect_whole_job_with_servers(options, self.network);
  const ServerPieces pieces{rounds, request, size_of(self.reducer.reduction().type)};
  std::optional<Server> server;
  if (const auto shard = shard_of(options, me)) {
    server.emplace(rounds, pieces, *shard, ServerMode{options.serve_at_once, answers}, self);
  }
  std::optional<Worker> worker;
  if (is_worker(options, me)) {
    worker.emplace(rounds, pieces, answers, self);
  }
  run_rounds(rounds, pieces, server, worker);
}

}  // namespace

RankPart parameter_server_push(CollectiveOptions options) {
  return std::bind_front(push_and_answer, ServerRounds{std::move(options)}, false);
}

Bytes parameter_server_scratch(const CollectiveOptions& options, std::uint64_t elements,
                               Bytes element_size) {
  if (!options.serve_at_once) return Bytes{};
  const auto others = static_cast<std::uint64_t>(options.channels.front().size() - 1);
  const auto servers = static_cast<int>(with_servers(options).servers.size());
  return others * (Chunks{{0, elements}, servers}.largest() * element_size);
}

RankPart parameter_server_allreduce(CollectiveOptions options) {
  return std::bind_front(push_and_answer, ServerRounds{std::move(options)}, true);
}

double parameter_server_messages(const CollectiveOptions& given, std::uint64_t elements,
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

}  // namespace ringcast
