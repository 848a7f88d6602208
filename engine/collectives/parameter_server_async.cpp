#include "engine/collectives/parameter_server_async.hpp"

#include <algorithm>
#include <optional>

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
// A server answers the workers in turn, from worker i w/k on for server i of k and w workers, so
// that a worker's answers do not all arrive at once. With S the parameters, a the latency, b the
// bandwidth and g the reduction time per byte, one server handles a push in P = a + S/b + S g, so
// n > 1 workers get one answer each per n P (Dean et al. 2012, "Large Scale Distributed Deep
// Networks").
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
    expect(request.iterations > 0, "{} iterations", request.iterations);
  }

  [[nodiscard]] Slice shard(int server, BufferId buffer) const {
    return slice_of(buffer, shards[server], element_size);
  }
};

void serve(int server, const Parties& parties, const AsyncRequest& request, RankContext& self) {
  const Slice shard = parties.shard(server, request.parameters);
  if (shard.length == Bytes{0}) {
    return;
  }
  const std::size_t workers = parties.workers.size();
  const BufferId scratch = self.memory.scratch(workers * shard.length);
  const auto landing = [&](std::size_t worker) {
    return Slice{scratch, worker * shard.length, shard.length};
  };
  const auto expect_push = [&](std::size_t worker) {
    return self.network.recv(parties.workers[worker], landing(worker), async_tag);
  };
  // A receive for one push of every worker, each in its own slot: only one may be added at a time.
  std::vector<Pending> coming;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    coming.push_back(expect_push(worker));
  }

  const std::size_t first = static_cast<std::size_t>(server) * workers / parties.servers.size();
  for (int iteration = 0; iteration < request.iterations; ++iteration) {
    for (std::size_t turn = 0; turn < workers; ++turn) {
      const std::size_t worker = (first + turn) % workers;
      coming[worker].wait();
      self.reducer.accumulate(shard, landing(worker)).wait();
      if (iteration + 1 < request.iterations) {
        coming[worker] = expect_push(worker);
      }
      // Wait before the next push is added: the shard must not change while it is sent.
      self.network.send(parties.workers[worker], shard, async_tag).wait();
    }
  }
}

void work(const Parties& parties, const AsyncRequest& request, RankContext& self) {
  for (int iteration = 0; iteration < request.iterations; ++iteration) {
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
