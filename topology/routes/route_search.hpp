#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "topology/routes/topology.hpp"

namespace ringcast::detail {

/// Finds the cheapest routes between two vertices.
class RouteSearch {
 public:
  /// The last hop of a route to a vertex: from `neighbour` over `link`.
  struct Hop {
    int neighbour;
    LinkId link;
    friend auto operator<=>(const Hop&, const Hop&) = default;
  };

  /// `cluster` must be checked and outlive this.
  explicit RouteSearch(const Cluster& cluster);
  RouteSearch(const RouteSearch&) = delete;
  RouteSearch& operator=(const RouteSearch&) = delete;
  ~RouteSearch();

  /// Searches the routes that Topology::find_route prefers; false if there is none.
  [[nodiscard]] bool run(int from, int to);
  /// The last hops of all cheapest routes of this search to a vertex on one, sorted: those from one
  /// neighbour are adjacent. Valid until the next call.
  [[nodiscard]] const std::vector<Hop>& hops_into(int at);
  /// The nearest gateways of the sender's node that are connected to a switch, sorted; none if one
  /// is cabled to another node.
  [[nodiscard]] std::vector<int> exits_to(int at) const;
  /// The nearest gateways of both vertices' nodes (nearest_gateways()), whether or not these are
  /// one node.
  [[nodiscard]] std::pair<std::vector<int>, std::vector<int>> exits_and_entries(int from, int to);
  /// From now on, hops_into() has only the routes that leave the node at `exit`.
  void keep_exit(int exit);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ringcast::detail
