#include "topology/routes/fabric_distances.hpp"

#include <algorithm>
#include <utility>

#include "topology/cluster/index.hpp"

namespace ringcast::detail {

namespace {

/// The cache is cleared when it exceeds this memory, in bytes.
constexpr std::size_t most_memory = std::size_t{128} << 20U;

/// Direction-optimizing breadth-first search (Beamer, Asanović, Patterson 2012): if the unreached
/// switches have fewer cables than those of the last step, each unreached switch looks for a
/// neighbour among the latter. Most switches of a fat tree find one by their first cable.
class BreadthFirst {
 public:
  explicit BreadthFirst(const std::vector<std::vector<int>>& neighbours)
      : neighbours_{&neighbours}, distance_(neighbours.size(), FabricDistances::unreachable) {
    for (const std::vector<int>& each : neighbours) {
      ends_left_ += each.size();
    }
  }

  void reach(int at, std::uint16_t distance) {
    if (distance_[index(at)] == FabricDistances::unreachable) {
      distance_[index(at)] = distance;
      reached_.push_back(at);
      ends_reached_ += (*neighbours_)[index(at)].size();
    }
  }

  /// The distances from the switches reached at distance zero; `unreachable` also from 65,535 on.
  std::vector<std::uint16_t> run() {
    for (std::uint16_t distance = 1; !reached_.empty() && distance < FabricDistances::unreachable;
         ++distance) {
      const std::vector<int> last = std::exchange(reached_, {});
      const std::size_t ends = std::exchange(ends_reached_, 0);
      ends_left_ -= ends;
      if (ends <= ends_left_) {
        for (const int at : last) {
          for (const int next : (*neighbours_)[index(at)]) {
            reach(next, distance);
          }
        }
      } else {
        reach_from_all(distance);
      }
    }
    return std::move(distance_);
  }

 private:
  /// Looks at the last neighbours first: upper switches, which are reached earlier, come last.
  void reach_from_all(std::uint16_t distance) {
    for (int at = 0; index(at) < distance_.size(); ++at) {
      const std::vector<int>& neighbours = (*neighbours_)[index(at)];
      const auto is_last = [&](int next) { return distance_[index(next)] + 1 == distance; };
      if (distance_[index(at)] == FabricDistances::unreachable &&
          std::any_of(neighbours.rbegin(), neighbours.rend(), is_last)) {
        reach(at, distance);
      }
    }
  }

  const std::vector<std::vector<int>>* neighbours_;
  std::vector<std::uint16_t> distance_;
  std::vector<int> reached_;      // in the last step
  std::size_t ends_reached_ = 0;  // the ends of cables at these
  std::size_t ends_left_ = 0;     // the ends at all switches of later steps
};

}  // namespace

FabricDistances::FabricDistances(const Cluster& cluster) : numbers_(cluster.vertices.size(), -1) {
  int switches = 0;
  for (int at = 0; index(at) < numbers_.size(); ++at) {
    if (cluster.vertices[index(at)].node < 0) {
      numbers_[index(at)] = switches++;
    }
  }
  neighbours_.resize(index(switches));
  for (const Cable& cable : cluster.cables) {
    const int a = numbers_[index(cable.a)];
    const int b = numbers_[index(cable.b)];
    if (a >= 0 && b >= 0) {
      neighbours_[index(a)].push_back(b);
      neighbours_[index(b)].push_back(a);
    }
  }
}

FabricDistances::Answer FabricDistances::from(const std::vector<int>& switches) {
  if (known_.size() * neighbours_.size() * sizeof(std::uint16_t) > most_memory) {
    known_.clear();
  }
  const auto [known, is_new] = known_.try_emplace(switches);
  if (!is_new) {
    return known->second;
  }
  BreadthFirst search{neighbours_};
  for (const int start : switches) {
    search.reach(numbers_[index(start)], 0);
  }
  known->second = std::make_shared<const std::vector<std::uint16_t>>(search.run());
  return known->second;
}

}  // namespace ringcast::detail
