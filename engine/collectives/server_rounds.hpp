#pragma once

#include <optional>
#include <vector>

#include "engine/collectives/collective_options.hpp"
#include "engine/schedule/ring_order.hpp"

namespace ringcast {

/// The options, with the first rank of each node as a server if they name none.
[[nodiscard]] CollectiveOptions with_servers(CollectiveOptions options);
/// Whether a rank is in the ring orders; otherwise it is a dedicated server.
[[nodiscard]] bool is_worker(const CollectiveOptions& options, Rank rank);
/// The number of the shard that a rank serves, if it is a server.
[[nodiscard]] std::optional<int> shard_of(const CollectiveOptions& options, Rank rank);

/// with_servers() of checked() options. Throws ContractViolation for ranks of the job that are
/// neither workers nor servers.
[[nodiscard]] CollectiveOptions checked_with_servers(CollectiveOptions options);
/// Throws ContractViolation unless workers and servers are all ranks of the job.
void expect_whole_job_with_servers(const CollectiveOptions& options, const Endpoint& network);

/// The rounds in which workers push to servers. In round r a server receives from the worker r
/// places after its own in the first channel's order, so no two servers that are workers wait for
/// the same worker in a round. Dedicated servers are assigned evenly spaced places.
class ServerRounds {
 public:
  /// `options` have servers.
  explicit ServerRounds(CollectiveOptions options);

  [[nodiscard]] const CollectiveOptions& options() const { return options_; }
  [[nodiscard]] int workers() const { return order().size(); }
  [[nodiscard]] int shards() const { return static_cast<int>(options_.servers.size()); }
  [[nodiscard]] Rank server_of(int shard) const {
    return options_.servers[static_cast<std::size_t>(shard)];
  }
  [[nodiscard]] Rank worker_of(int shard, int round) const;
  /// The shards that a worker pushes in a round; in round 0 its own, if it serves one.
  [[nodiscard]] const std::vector<int>& shards_of(Rank worker, int round) const;

 private:
  [[nodiscard]] const RingOrder& order() const { return options_.channels.front(); }
  [[nodiscard]] int place_of(int shard) const;

  CollectiveOptions options_;
  std::vector<std::vector<int>> shards_at_;  // by place
};

}  // namespace ringcast
