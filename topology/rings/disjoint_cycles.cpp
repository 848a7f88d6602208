// Packs directed Hamiltonian cycles into a small graph whose arcs have capacities: rings over the
// NVLinks of a node.
//
// A vertex whose arcs out (or in) have the total capacity c lies on at most c cycles. A cycle of
// three vertices or more enters a vertex from one neighbour and leaves it to another. So for any
// given neighbour it uses an arc to or from a different one, and the total capacity of these arcs
// is a bound, too. The search begins with the lowest bound as the number of cycles; if it fails, it
// tries one less, and so on.
//
//   four GPUs, all pairs joined, capacity 2 each way: c = 6, and the six cycles
//     0 1 2 3   0 1 3 2   0 2 1 3   0 2 3 1   0 3 1 2   0 3 2 1
//   cross each arc twice.
//
// The search is depth first over cycle after cycle, vertex after vertex. It takes arcs of high
// remaining capacity first, otherwise in random order, and restarts when it has spent its budget:
// most of its failures are early choices that leave a few arcs which form no cycle, and another
// order of the arcs rarely repeats them (Gomes, Selman, Kautz: Boosting Combinatorial Search
// Through Randomization, AAAI 1998). All arcs of a complete digraph form cycles for each n but 4
// and 6 (Tillson: A Hamiltonian decomposition of K*2m, 2m >= 8, 1980).
#include "topology/rings/disjoint_cycles.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "topology/cluster/index.hpp"

namespace ringcast::detail {

namespace {

constexpr int restarts = 40;
constexpr int steps_per_restart = 20'000;

class CyclePacking {
 public:
  CyclePacking(ArcCapacities capacity, std::size_t wanted, std::uint64_t seed)
      : capacity_{std::move(capacity)}, wanted_{wanted}, random_{seed} {}

  /// True if it found all cycles within its budget.
  bool search() {
    begin_cycle();
    return extend();
  }
  [[nodiscard]] std::vector<Cycle> cycles() const { return cycles_; }
  [[nodiscard]] bool gave_up() const { return steps_ > steps_per_restart; }

 private:
  void begin_cycle() {
    cycles_.push_back({0});
    visited_.assign(capacity_.size(), false);
    visited_[0] = true;
  }

  bool extend() {
    if (++steps_ > steps_per_restart) {
      return false;
    }
    const int last = cycles_.back().back();
    if (cycles_.back().size() == capacity_.size()) {
      return close(last);
    }
    for (const int next : successors(last)) {
      --capacity_[index(last)][index(next)];
      visited_[index(next)] = true;
      cycles_.back().push_back(next);
      if (extend()) {
        return true;
      }
      cycles_.back().pop_back();
      visited_[index(next)] = false;
      ++capacity_[index(last)][index(next)];
    }
    return false;
  }

  /// Returns to vertex 0 and continues with the next cycle.
  bool close(int last) {
    if (capacity_[index(last)][0] == 0) {
      return false;
    }
    --capacity_[index(last)][0];
    if (cycles_.size() == wanted_) {
      return true;
    }
    begin_cycle();
    if (extend()) {
      return true;
    }
    cycles_.pop_back();
    visited_.assign(capacity_.size(), true);
    ++capacity_[index(last)][0];
    return false;
  }

  std::vector<int> successors(int last) {
    std::vector<int> found;
    for (int next = 0; next < static_cast<int>(capacity_.size()); ++next) {
      if (!visited_[index(next)] && capacity_[index(last)][index(next)] > 0) {
        found.push_back(next);
      }
    }
    // std::shuffle may differ between standard libraries.
    for (std::size_t left = found.size(); left > 1; --left) {
      std::swap(found[left - 1], found[random_() % left]);
    }
    std::ranges::stable_sort(found, std::ranges::greater{},
                             [&](int next) { return capacity_[index(last)][index(next)]; });
    return found;
  }

  ArcCapacities capacity_;
  std::size_t wanted_;
  std::mt19937_64 random_;
  std::vector<Cycle> cycles_;
  std::vector<bool> visited_;
  int steps_ = 0;
};

/// The lowest bound of a vertex.
int most_cycles(const ArcCapacities& capacity) {
  int most = std::numeric_limits<int>::max();
  for (std::size_t vertex = 0; vertex < capacity.size(); ++vertex) {
    const std::vector<int>& to = capacity[vertex];
    const auto add = [&](int sum, const std::vector<int>& from) { return sum + from[vertex]; };
    const int out = std::accumulate(to.begin(), to.end(), 0);
    const int in = std::accumulate(capacity.begin(), capacity.end(), 0, add);
    most = std::min({most, out, in});
    for (std::size_t other = 0; other < capacity.size() && capacity.size() > 2; ++other)
      most = std::min(most, out - to[other] + in - capacity[other][vertex]);
  }
  return most;
}

/// Finds a number of cycles; none if there are none, or if the search gives up.
std::vector<Cycle> pack(const ArcCapacities& capacity, int wanted) {
  for (int restart = 0; restart < restarts; ++restart) {
    CyclePacking packing{capacity, static_cast<std::size_t>(wanted),
                         static_cast<std::uint64_t>(restart)};
    if (packing.search()) {
      std::vector<Cycle> found = packing.cycles();
      std::ranges::sort(found);
      return found;
    }
    if (!packing.gave_up()) {
      break;  // it tried everything
    }
  }
  return {};
}

}  // namespace

std::vector<Cycle> disjoint_cycles(const ArcCapacities& capacity) {
  if (capacity.size() < 2 || pack(capacity, 1).empty()) {
    return {};
  }
  int wanted = most_cycles(capacity);
  std::vector<Cycle> found;
  while (found.empty()) {
    found = pack(capacity, wanted--);
  }
  return found;
}

}  // namespace ringcast::detail
