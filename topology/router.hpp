#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "topology/topology.hpp"

namespace ringcast::detail {

/// Finds the routes that Topology::route describes. Boost.Graph stays inside router.cpp.
class Router {
 public:
  /// `ranks`: the vertex of each rank. `cluster` is referred to, and must be a checked one.
  Router(const Cluster& cluster, std::vector<int> ranks);
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;
  ~Router();

  /// Between two vertices. Nothing if no cables join them.
  [[nodiscard]] std::optional<Route> find(int from, int to);
  /// Two ranks that no cables join, if there are such.
  [[nodiscard]] std::optional<std::pair<Rank, Rank>> parted_ranks();

 private:
  struct Network;
  std::unique_ptr<Network> network_;
};

}  // namespace ringcast::detail
