#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/schedule/ring_order.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// A maximal part of a ring within one host.
struct HostVisit {
  int host = 0;
  std::vector<Rank> ranks;
};

/// The placement of a job's ranks, in the terms of launchers.
struct JobMap {
  struct Place {
    int host = 0;      // index of `hosts`
    int device = 0;    // number of the GPU or process within its node
    std::string slot;  // of Open MPI's rankfile: `1:*`, any core of socket 1; `1:3`, its core 3
  };
  std::vector<std::string> hosts;  // those with ranks, in the order of their first ranks
  std::vector<int> devices;        // GPUs or processes of each host, also those without a rank
  std::vector<Place> places;       // of each rank
  bool gpus = true;

  [[nodiscard]] const Place& place_of(Rank rank) const {
    return places[static_cast<std::size_t>(index_of(rank))];
  }
  [[nodiscard]] const std::string& host_of(const HostVisit& visit) const {
    return hosts[static_cast<std::size_t>(visit.host)];
  }
};

/// `names`: the hosts of the cluster's nodes, in order; empty: the names of the nodes.
/// Throws ScenarioError if there are fewer names than nodes with ranks.
[[nodiscard]] JobMap job_map(const TransferPaths& paths, std::span<const std::string> names = {});

/// The visits of a ring, beginning with that of rank 0.
[[nodiscard]] std::vector<HostVisit> visits_of(const RingOrder& ring, const JobMap& map);

/// Whether the ring visits each host exactly once.
[[nodiscard]] bool is_by_host(std::span<const HostVisit> visits, const JobMap& map);

}  // namespace ringcast
