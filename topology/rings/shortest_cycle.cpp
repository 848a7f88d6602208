// Dynamic programming over sets of vertices (Held, Karp: A Dynamic Programming Approach to
// Sequencing Problems, 1962). The shortest path from vertex 0 through all vertices of a set S to
// one of them, v, is a shortest path through S without v, followed by one arc:
//
//   length(S, v) = min over u in S without v of  length(S without v, u) + cost(u, v)
//
// 2^(n-1) sets of n - 1 vertices: 4,096 x 12 x 12 steps for 13 vertices.
#include "topology/rings/shortest_cycle.hpp"

#include <algorithm>
#include <limits>

#include "engine/numbers/error.hpp"
#include "topology/cluster/index.hpp"

namespace ringcast::detail {

namespace {

constexpr double unreachable = std::numeric_limits<double>::infinity();

class ShortestPaths {
 public:
  explicit ShortestPaths(const std::vector<std::vector<double>>& costs)
      : costs_{&costs},
        others_{costs.size() - 1},
        length_((std::size_t{1} << others_) * others_, unreachable),
        before_(length_.size(), -1) {
    for (std::size_t last = 0; last < others_; ++last) {
      length_[at(std::size_t{1} << last, last)] = costs.front()[last + 1];
    }
    for (std::size_t set = 1; set < std::size_t{1} << others_; ++set) {
      for (std::size_t last = 0; last < others_; ++last) {
        if ((set >> last & 1) != 0 && length_[at(set, last)] < unreachable) {
          extend(set, last);
        }
      }
    }
  }

  /// The cycle that the shortest path through all vertices makes with the arc back to vertex 0.
  [[nodiscard]] std::vector<int> cycle() const {
    std::size_t set = (std::size_t{1} << others_) - 1;
    const auto closed = [&](std::size_t end) {
      return length_[at(set, end)] + (*costs_)[end + 1].front();
    };
    std::size_t last = 0;
    for (std::size_t end = 1; end < others_; ++end) {
      last = closed(end) < closed(last) ? end : last;
    }
    if (closed(last) == unreachable) {
      return {};
    }
    std::vector<int> found{static_cast<int>(last) + 1};
    while (before_[at(set, last)] >= 0) {
      const std::size_t before = index(before_[at(set, last)]);
      set &= ~(std::size_t{1} << last);
      last = before;
      found.push_back(static_cast<int>(last) + 1);
    }
    found.push_back(0);
    std::ranges::reverse(found);
    return found;
  }

 private:
  [[nodiscard]] std::size_t at(std::size_t set, std::size_t last) const {
    return set * others_ + last;
  }

  void extend(std::size_t set, std::size_t last) {
    const std::vector<double>& costs = (*costs_)[last + 1];
    for (std::size_t next = 0; next < others_; ++next) {
      if ((set >> next & 1) != 0) {
        continue;
      }
      const std::size_t to = at(set | std::size_t{1} << next, next);
      const double length = length_[at(set, last)] + costs[next + 1];
      if (length < length_[to]) {
        length_[to] = length;
        before_[to] = static_cast<int>(last);
      }
    }
  }

  const std::vector<std::vector<double>>* costs_;
  std::size_t others_;  // vertices without vertex 0
  std::vector<double> length_;
  std::vector<int> before_;
};

}  // namespace

std::vector<int> shortest_cycle(const std::vector<std::vector<double>>& costs) {
  expect(costs.size() >= 2 && costs.size() <= most_vertices_of_shortest_cycle,
         "a shortest cycle over {} vertices", costs.size());
  return ShortestPaths{costs}.cycle();
}

}  // namespace ringcast::detail
