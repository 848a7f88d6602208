#pragma once

#include <cstdint>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace ringcast::detail {

/// Chooses among equal routes through the fabric by destination.
///
/// NICs are numbered in the order of their switches, so the NICs of one switch have
/// consecutive numbers. A switch with n equal next hops takes the one that a digit of the
/// destination's number selects. Each level of the fabric uses a different digit: with the same
/// digit, all traffic that arrives at a spine would leave it for the same core. Consecutive
/// destinations thus use each uplink equally often, and all routes to one NIC form a tree.
class Spread {
 public:
  explicit Spread(const Cluster& cluster);

  /// The number of a NIC, or of any other vertex that is cabled to a switch.
  [[nodiscard]] std::uint64_t number_of(int vertex) const { return at(vertex).number; }
  /// Selects one of `ways` neighbours of `vertex` that are farther from the destination.
  [[nodiscard]] std::uint64_t neighbour(int vertex, std::uint64_t number,
                                        std::uint64_t ways) const {
    return number / at(vertex).stride % ways;
  }
  /// Selects one of `cables` parallel cables between two vertices; the same in both directions.
  [[nodiscard]] std::uint64_t cable(int a, int b, std::uint64_t number,
                                    std::uint64_t cables) const {
    const int upper = at(a).level > at(b).level ? a : b;
    return number / at(upper).stride % cables;
  }

 private:
  struct Place {
    std::uint64_t number = 0;
    std::uint64_t stride = 1;  // the values of all lower digits
    int level = -1;            // cables from the nearest end of the fabric; -1: not in the fabric
  };
  [[nodiscard]] const Place& at(int vertex) const {
    return places_[static_cast<std::size_t>(vertex)];
  }
  void climb(const std::vector<std::vector<int>>& neighbours);

  std::vector<Place> places_;
};

}  // namespace ringcast::detail
