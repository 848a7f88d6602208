#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "topology/routes/topology.hpp"

namespace ringcast::detail {

/// Finds the routes that Topology::find_route describes. RouteSearch computes the distances; this
/// chooses among routes of equal cost.
class Router {
 public:
  /// `ranks`: the vertex of each rank. `cluster` must be checked and outlive this.
  Router(const Cluster& cluster, std::vector<int> ranks);
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;
  ~Router();

  /// Finds the route between two vertices; nothing if they are disconnected.
  [[nodiscard]] std::optional<Route> find(int from, int to);
  /// Finds the route that Topology::find_route_by_own_nics() describes; nothing if there is none.
  [[nodiscard]] std::optional<Route> find_by_own_nics(int from, int to);
  /// Finds two ranks that are disconnected, if there are any among Cluster::connected_ranks.
  [[nodiscard]] std::optional<std::pair<Rank, Rank>> disconnected_ranks();

 private:
  struct Network;
  std::unique_ptr<Network> network_;
};

}  // namespace ringcast::detail
