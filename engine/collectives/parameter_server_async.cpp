#include "engine/collectives/parameter_server_async.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

#include "engine/numbers/error.hpp"
#include "engine/schedule/chunks.hpp"

// Asynchronous parameter server: no barrier between the workers. In every iteration a worker pushes
// its gradients to all servers and waits for their answers. A server adds a push to its shard and
// answers with the current shard. For 2 workers and one server:
//
//   worker 0   push g0, wait            pull p+g0, push g0', wait               pull ...
//   worker 1   push g1, wait                             pull p+g0+g1, push g1', wait ...
//   server     p += g0, send p to 0     p += g1, send p to 1      p += g0', send p to 0 ...
//
// A server answers the workers in the order in which their pushes arrive. If several arrive at
// once, it begins with worker i w/k as server i of k with w workers, so that a worker's answers do
// not all arrive at once. With S the parameters, a the latency, b the bandwidth and g the reduction
// time per byte, one server handles a push in P = a + S/b + S g, so n > 1 workers that only push
// and pull get one answer each per n P (Dean et al. 2012, "Large Scale Distributed Deep Networks").
namespace ringcast {
namespace {

constexpr Tag async_tag{0};

/// The servers and workers of a job, and the servers' shards, some of which may be empty.
struct Parties {
  std::span<const Rank> servers;
  std::vector<Rank> workers;
  Chunks shards;
  Bytes element_size;

  Parties(std::span<const Rank> serving, const AsyncRequest& request, const RankContext& self)
      : servers{serving},
        shards{{0, request.elements}, static_cast<int>(serving.size())},
        element_size{size_of(self.reducer.reduction().type)} {
    for (int rank = 0; rank < self.network.size(); ++rank) {
      if (std::ranges::find(servers, Rank{rank}) == servers.end()) {
        workers.push_back(Rank{rank});
      }
    }
    const auto ranks = static_cast<std::size_t>(self.network.size());
    expect(servers.size() + workers.size() == ranks && !workers.empty(),
           "{} servers in a job of {}", servers.size(), ranks);
    for (const Rank worker : workers) {
      expect(request.iterations(worker) > 0, "{} iterations", request.iterations(worker));
    }
  }

  [[nodiscard]] Slice shard(int server, BufferId buffer) const {
    return slice_of(buffer, shards[server], element_size);
  }
};

/// A server's receives, one for the next push of every worker. Each has its own slot: only one push
/// may be added at a time.
class Pushes {
 public:
  struct Push {
    Rank worker;
    Slice landing;
    int left;  // pushes of the worker, this one included
  };

  /// `workers`: in the order in which they are answered if their pushes arrive at once.
  Pushes(const std::vector<Rank>& workers, Bytes shard, const AsyncRequest& request,
         RankContext& self)
      : network_{&self.network} {
    const BufferId scratch = self.memory.scratch(workers.size() * shard);
    for (const Rank worker : workers) {
      const Bytes offset = pushes_.size() * shard;
      pushes_.push_back({worker, {scratch, offset, shard}, request.iterations(worker)});
    }
  }

  void describe(Outline& outline, Slice shard) const {
    for (const Push& push : pushes_) {
      outline.add(static_cast<std::uint64_t>(push.left));
      outline.receives(push.worker, push.landing, async_tag);
      outline.sends(push.worker, shard, async_tag);
    }
  }

  void begin() {
    for (const Push& push : pushes_) {
      receives_.push_back(network_->recv(push.worker, push.landing, async_tag));
    }
    for (const Pending& receive : receives_) {
      coming_.push_back(&receive);
    }
  }

  /// The next push in the order of arrival, once it has arrived; none after the last.
  [[nodiscard]] const Push* next() {
    note_arrivals();
    if (arrived_.empty()) {
      if (std::ranges::count(coming_, nullptr) == std::ssize(coming_)) return nullptr;
      static_cast<void>(network_->first_done(coming_));
      note_arrivals();
    }
    const std::size_t worker = arrived_.front();
    arrived_.pop_front();
    receives_[worker].wait();
    return &pushes_[worker];
  }

  /// After a push has been added: receives the worker's next one.
  void receive_another(const Push& added) {
    const auto worker = static_cast<std::size_t>(&added - pushes_.data());
    if (--pushes_[worker].left > 0) {
      receives_[worker] = network_->recv(added.worker, added.landing, async_tag);
      coming_[worker] = &receives_[worker];
    }
  }

 private:
  /// On a backend that cannot tell, all have arrived: the server waits for them in turn.
  void note_arrivals() {
    for (std::size_t worker = 0; worker < coming_.size(); ++worker) {
      if (coming_[worker] != nullptr && coming_[worker]->is_done()) {
        arrived_.push_back(worker);
        coming_[worker] = nullptr;
      }
    }
  }

  Endpoint* network_;
  std::vector<Push> pushes_;  // by worker, as all below
  std::vector<Pending> receives_;
  std::vector<const Pending*> coming_;  // those that have not arrived
  std::deque<std::size_t> arrived_;
};

void serve(int server, const Parties& parties, const AsyncRequest& request, RankContext& self) {
  const Slice shard = parties.shard(server, request.parameters);
  if (shard.length == Bytes{0}) {
    return;
  }
  std::vector<Rank> workers = parties.workers;
  const std::size_t first =
      static_cast<std::size_t>(server) * workers.size() / parties.servers.size();
  std::rotate(workers.begin(), workers.begin() + static_cast<std::ptrdiff_t>(first), workers.end());
  Pushes pushes{workers, shard.length, request, self};
  if (Outline* const outline = self.network.outline()) {
    pushes.describe(*outline, shard);
    return;
  }
  pushes.begin();
  while (const Pushes::Push* const push = pushes.next()) {
    self.reducer.accumulate(shard, push->landing).wait();
    pushes.receive_another(*push);
    // Wait before the next push is added: the shard must not change while it is sent.
    self.network.send(push->worker, shard, async_tag).wait();
  }
}

void work(const Parties& parties, const AsyncRequest& request, RankContext& self) {
  const int iterations = request.iterations(self.network.rank());
  for (int iteration = 0; iteration < iterations; ++iteration) {
    std::vector<Pending> transfers;
    for (int server = 0; server < parties.shards.count(); ++server) {
      const Slice push = parties.shard(server, request.gradients);
      const Slice pull = parties.shard(server, request.parameters);
      const Rank rank = parties.servers[static_cast<std::size_t>(server)];
      if (push.length > Bytes{0}) {
        transfers.push_back(self.network.recv(rank, pull, async_tag));
        transfers.push_back(self.network.send(rank, push, async_tag));
      }
    }
    wait_all(transfers);
  }
}

}  // namespace

void parameter_server_async(std::span<const Rank> servers, const AsyncRequest& request,
                            RankContext& self) {
  const Parties parties{servers, request, self};
  const auto server = std::ranges::find(servers, self.network.rank());
  if (server != servers.end()) {
    serve(static_cast<int>(server - servers.begin()), parties, request, self);
  } else {
    work(parties, request, self);
  }
}

}  // namespace ringcast
