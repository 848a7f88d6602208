// Branch and bound over the orders of all rings, depth first: ring after ring, rank after rank.
//
// A partial set of rings is pruned if its busiest link is slower than that of the best set so far,
// or equally slow and its latency cannot become lower: each hop to come adds at least the latency
// from its rank to the nearest other rank. The busiest link cannot be faster than `floor`, so once
// the best set reaches that, only latency is compared. All rings begin with rank 0; their second
// ranks ascend, since the order of the rings does not matter.
#include "topology/rings/exact_rings.hpp"

#include <algorithm>
#include <limits>

#include "topology/cluster/index.hpp"

namespace ringcast::detail {

namespace {

class ExactRings {
 public:
  ExactRings(const TransferPaths& paths, const std::vector<std::vector<Rank>>& start,
             const SearchLimits& limits)
      : state_{paths}, limits_{limits}, best_{start}, rings_(start.size()) {
    RingState of_start{paths};
    for (const std::vector<Rank>& ring : start) {
      of_start.ring(ring);
    }
    best_cost_ = of_start.cost();
    find_nearest(paths, start.front());
    for (std::vector<Rank>& ring : rings_) {
      ring = start.front();
      std::ranges::sort(ring);
    }
  }

  std::optional<std::vector<std::vector<Rank>>> run() {
    extend(0, 1);
    return gave_up_ ? std::nullopt : std::optional{best_};
  }

 private:
  void find_nearest(const TransferPaths& paths, const std::vector<Rank>& ranks) {
    nearest_.assign(ranks.size(), std::numeric_limits<double>::max());
    for (const Rank from : ranks) {
      for (const Rank to : ranks) {
        if (from != to) {
          double& nearest = nearest_[index(index_of(from))];
          nearest = std::min(nearest, latency_of(paths.between(from, to)));
        }
      }
      rest_ += static_cast<double>(rings_.size()) * nearest_[index(index_of(from))];
    }
  }

  void hop(Rank from, Rank to, int messages) {
    state_.hop(from, to, messages);
    rest_ -= messages * nearest_[index(index_of(from))];
  }

  [[nodiscard]] bool can_be_best() const {
    const RingCost cost = state_.cost();
    const double slowest = std::max(cost.slowest, limits_.floor);
    if (is_below(best_cost_.slowest, slowest)) {
      return false;
    }
    return is_below(slowest, best_cost_.slowest) ||
           is_below(cost.latency + rest_, best_cost_.latency);
  }

  /// Tries all ranks at position `length` of a ring, and what follows.
  void extend(std::size_t number, std::size_t length) {
    std::vector<Rank>& ring = rings_[number];
    if (length == ring.size()) {
      close(number);
      return;
    }
    for (std::size_t i = length; i < ring.size() && !gave_up_; ++i) {
      const Rank next = ring[i];
      if (length == 1 && number > 0 && next < rings_[number - 1][1]) {
        continue;
      }
      // A rotation keeps the other ranks in order.
      const auto first = ring.begin() + static_cast<std::ptrdiff_t>(length);
      const auto chosen = ring.begin() + static_cast<std::ptrdiff_t>(i);
      std::rotate(first, chosen, chosen + 1);
      try_hop(ring[length - 1], next, [&] { extend(number, length + 1); });
      std::rotate(first, first + 1, chosen + 1);
    }
  }

  void close(std::size_t number) {
    const std::vector<Rank>& ring = rings_[number];
    try_hop(ring.back(), ring.front(), [&] {
      if (number + 1 < rings_.size()) {
        extend(number + 1, 1);
      } else {
        best_ = rings_;
        best_cost_ = state_.cost();
      }
    });
  }

  template <typename Next>
  void try_hop(Rank from, Rank to, const Next& next) {
    gave_up_ = gave_up_ || ++hops_ > limits_.changes || (hops_ % 65'536 == 0 && limits_.is_over());
    hop(from, to, 1);
    if (!gave_up_ && can_be_best()) {
      next();
    }
    hop(from, to, -1);
  }

  RingState state_;
  SearchLimits limits_;
  std::vector<std::vector<Rank>> best_;
  RingCost best_cost_;
  std::vector<std::vector<Rank>> rings_;
  std::vector<double> nearest_;  // the lowest latency of a hop from each rank
  double rest_ = 0;              // their sum over hops to come
  std::uint64_t hops_ = 0;
  bool gave_up_ = false;
};

}  // namespace

std::optional<std::vector<std::vector<Rank>>> exact_rings(
    const TransferPaths& paths, const std::vector<std::vector<Rank>>& start,
    const SearchLimits& limits) {
  return ExactRings{paths, start, limits}.run();
}

}  // namespace ringcast::detail
