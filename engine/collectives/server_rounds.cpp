#include "engine/collectives/server_rounds.hpp"

#include <algorithm>

#include "engine/collectives/algorithms.hpp"
#include "engine/numbers/error.hpp"
#include "engine/schedule/node_groups.hpp"

namespace ringcast {

CollectiveOptions with_servers(CollectiveOptions options) {
  if (options.servers.empty()) {
    const NodeGroups nodes{options.channels.front().size(), options.node_of};
    for (int node = 0; node < nodes.count(); ++node) {
      options.servers.push_back(nodes.ranks_of(node).front());
    }
  }
  return options;
}

std::uint64_t parameter_server_chunks(const CollectiveOptions& options) {
  return with_servers(options).servers.size();
}

namespace {

int job_size(const CollectiveOptions& options) {
  int ranks = options.channels.front().size();
  for (const Rank server : options.servers) {
    ranks = std::max(ranks, index_of(server) + 1);
  }
  return ranks;
}

}  // namespace

CollectiveOptions checked_with_servers(CollectiveOptions given) {
  CollectiveOptions options = with_servers(checked(std::move(given)));
  const auto dedicated = std::ranges::count_if(
      options.servers, [&](Rank server) { return !is_worker(options, server); });
  const int ranks = options.channels.front().size() + static_cast<int>(dedicated);
  expect(ranks == job_size(options), "{} ranks that neither work nor serve",
         job_size(options) - ranks);
  return options;
}

void expect_whole_job_with_servers(const CollectiveOptions& options, const Endpoint& network) {
  expect(job_size(options) == network.size(), "workers and servers are {} in a job of {}",
         job_size(options), network.size());
}

bool is_worker(const CollectiveOptions& options, Rank rank) {
  return index_of(rank) < options.channels.front().size();
}

std::optional<int> shard_of(const CollectiveOptions& options, Rank rank) {
  const auto found = std::ranges::find(options.servers, rank);
  if (found == options.servers.end()) {
    return std::nullopt;
  }
  return static_cast<int>(found - options.servers.begin());
}

ServerRounds::ServerRounds(CollectiveOptions options)
    : options_{std::move(options)}, shards_at_(static_cast<std::size_t>(workers())) {
  for (int shard = 0; shard < shards(); ++shard) {
    shards_at_[static_cast<std::size_t>(place_of(shard))].push_back(shard);
  }
}

Rank ServerRounds::worker_of(int shard, int round) const {
  return order().rank_at((place_of(shard) + round) % workers());
}

const std::vector<int>& ServerRounds::shards_of(Rank worker, int round) const {
  const int place = (order().position_of(worker) + workers() - round) % workers();
  return shards_at_[static_cast<std::size_t>(place)];
}

int ServerRounds::place_of(int shard) const {
  const Rank server = server_of(shard);
  return is_worker(options_, server)
             ? order().position_of(server)
             : static_cast<int>(static_cast<std::int64_t>(shard) * workers() / shards());
}

}  // namespace ringcast
