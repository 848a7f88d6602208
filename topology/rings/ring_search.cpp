// Searches rings in six stages:
//
//   1. Structure. Nodes ordered by the groups that their switches make (pods, leaves, ...), and
//      through each node the paths of channel_rings.cpp, over NVSwitches, NVLink cycles or the PCIe
//      tree to a NIC each. So a ring enters and leaves each group once.
//   2. Shares, for about a dozen ranks: the rings of the best mix of all orders (ring_mix.cpp),
//      each as often as its share of the buffer requires.
//   3. Growth, for few ranks. Rings are added one at a time and improved together with the previous
//      ones, until the bus bandwidth reaches the bound or several rings in a row do not help.
//   4. Local search (ring_improvement.cpp), first over whole paths through nodes, then, for few
//      ranks, over single ranks.
//   5. Repetition, for few ranks and a given number of rings: the sets of its divisors.
//   6. Branch and bound (exact_rings.cpp), for few ranks and rings.
//
// The best of all sets is returned, so it is never worse than the order by rank or as many of
// NCCL's rings. A set is proved optimal by ring_bound(), by that of as many rings
// (search_goal.hpp), or by a completed branch and bound.
#include "topology/rings/ring_search.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/numbers/error.hpp"
#include "topology/cluster/index.hpp"
#include "topology/rings/channel_rings.hpp"
#include "topology/rings/exact_rings.hpp"
#include "topology/rings/search_goal.hpp"

namespace ringcast {

namespace {

using detail::BlockRing;
using detail::index;
using detail::JobNode;
using detail::RingCost;
using detail::RingState;
using detail::SearchLimits;

using RingSet = std::vector<std::vector<Rank>>;

/// NCCL builds at most 32 channels, two on each ring.
constexpr std::size_t most_rings = 16;
/// Up to this many ranks, rings grow and change rank by rank.
constexpr int few_ranks = 64;
/// Local search tries this many changes: a fraction of a second at few ranks.
constexpr std::uint64_t most_changes = 20'000;
/// Growth ends after this many rings in a row that do not help.
constexpr int most_useless_rings = 4;
/// Branch and bound tries sets of rings up to this number of orders, and this many hops.
constexpr double most_orders = 5e7;
constexpr std::uint64_t most_hops = 5'000'000;

RingSet set_of(const std::vector<RingOrder>& orders) {
  RingSet set;
  for (const RingOrder& order : orders) {
    set.emplace_back(order.ranks().begin(), order.ranks().end());
  }
  return set;
}

RingSet joined_blocks(const std::vector<BlockRing>& rings) {
  RingSet set;
  for (const BlockRing& ring : rings) {
    std::vector<Rank>& order = set.emplace_back();
    for (const std::vector<Rank>& block : ring) {
      order.insert(order.end(), block.begin(), block.end());
    }
  }
  return set;
}

std::vector<BlockRing> single_ranks(const RingSet& set) {
  std::vector<BlockRing> rings;
  for (const std::vector<Rank>& order : set) {
    BlockRing& ring = rings.emplace_back();
    for (const Rank rank : order) {
      ring.push_back({rank});
    }
  }
  return rings;
}

/// The first `count` rings of a set; repeats the set if it has fewer.
template <typename Ring>
std::vector<Ring> take(const std::vector<Ring>& rings, int count) {
  std::vector<Ring> taken;
  for (std::size_t i = 0; i < index(count); ++i) {
    taken.push_back(rings[i % rings.size()]);
  }
  return taken;
}

class Searcher {
 public:
  Searcher(const TransferPaths& paths, const RingSearch& search)
      : paths_{&paths}, state_{paths}, search_{search}, goal_{detail::search_goal(paths)} {
    limits_.deadline = std::chrono::steady_clock::now() +
                       std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                           std::min(search.time_limit, Seconds{1e6}));
    limits_.seed = search.seed;
    limits_.changes = most_changes;
  }

  FoundRings run() {
    search_all();
    if (paths_->ranks() <= few_ranks) {
      consider_repeated();
    }
    proved_ = is_proved();
    consider_exact();
    FoundRings found{{}, BytesPerSecond{best_busbw_}, proved_, goal_.bound};
    for (std::vector<Rank>& ring : best_) {
      found.rings.emplace_back(std::move(ring));
    }
    return found;
  }

 private:
  void search_all() {
    consider(set_of({RingOrder::identity(paths_->ranks())}));
    consider(set_of(channel_rings(*paths_)));
    if (paths_->ranks() < 3) {
      return;
    }
    consider_structure();
    if (paths_->ranks() <= few_ranks) {
      if (!is_enough()) {
        consider_mix();
      }
      consider_improved(single_ranks(best_));
      if (search_.channels == 0 && !is_enough()) {
        grow(best_);
        grow(take(best_, 1));
      }
    }
  }

  [[nodiscard]] bool is_enough() const { return !detail::is_below(best_busbw_, goal_.enough); }

  [[nodiscard]] bool is_proved() const {
    return !detail::is_below(best_busbw_, goal_.bound.busbw.value()) ||
           detail::is_optimal(*paths_, best_.size(), BytesPerSecond{best_busbw_});
  }

  /// The number of rings to take from a set of `rings`.
  [[nodiscard]] int wanted_of(std::size_t rings) const {
    return search_.channels > 0 ? search_.channels : static_cast<int>(std::min(most_rings, rings));
  }

  /// Keeps the set if it is better than the best: faster, or as fast with fewer rings or, with as
  /// many, less latency.
  void consider(const RingSet& rings) {
    const RingSet set = take(rings, wanted_of(rings.size()));
    const RingCost cost = cost_of(set);
    const auto count = static_cast<double>(set.size());
    const double busbw = cost.slowest > 0 ? count / cost.slowest : 0;
    const double latency = cost.latency / count;
    const bool ties = !detail::is_below(busbw, best_busbw_) && set.size() <= best_.size();
    if (best_.empty() || detail::is_below(best_busbw_, busbw) ||
        (ties && (set.size() < best_.size() || detail::is_below(latency, best_latency_)))) {
      best_ = set;
      best_busbw_ = busbw;
      best_latency_ = latency;
    }
  }

  [[nodiscard]] RingCost cost_of(const RingSet& rings) {
    for (const std::vector<Rank>& ring : rings) {
      state_.ring(ring);
    }
    const RingCost cost = state_.cost();
    for (const std::vector<Rank>& ring : rings) {
      state_.ring(ring, -1);
    }
    return cost;
  }

  /// The limits for a set of rings that is to reach `busbw`.
  [[nodiscard]] SearchLimits limits_for(std::size_t rings, double busbw) const {
    SearchLimits limits = limits_;
    limits.floor = busbw > 0 ? static_cast<double>(rings) / busbw : 0;
    return limits;
  }

  RingSet consider_improved(std::vector<BlockRing> rings) {
    const SearchLimits limits = limits_for(rings.size(), goal_.enough);
    RingSet found = joined_blocks(detail::improved_rings(*paths_, std::move(rings), limits));
    consider(found);
    return found;
  }

  void consider_structure() {
    const std::vector<JobNode> nodes =
        detail::by_groups(paths_->topology(), detail::job_nodes(*paths_));
    if (nodes.size() == 1) {
      return;
    }
    if (detail::place_of(*paths_, Rank{0}).kind == VertexKind::gpu) {
      consider_paths(detail::node_paths(*paths_, nodes, {.searched = true}));
      if (!is_enough()) {
        consider_paths(detail::node_paths(*paths_, nodes, {.packed = true, .searched = true}));
      }
      if (search_.channels == 0 && !is_enough()) {
        consider_paths(detail::node_paths(*paths_, nodes, {.rings_per_nic = 2, .searched = true}));
      }
    } else {
      BlockRing ring;
      for (const JobNode& node : nodes) {
        ring.push_back(node.ranks);
      }
      consider_paths({ring});
    }
  }

  /// Considers these rings and, because nodes may differ in their number of paths, the first few.
  void consider_paths(const std::vector<BlockRing>& rings) {
    const int wanted = wanted_of(rings.size());
    consider(joined_blocks(rings));
    consider_improved(take(rings, wanted));
    for (int fewer = wanted - 1; fewer > 0 && search_.channels == 0 && !is_enough(); --fewer) {
      consider(joined_blocks(take(rings, fewer)));
    }
  }

  void consider_mix() {
    const int first = std::max(1, search_.channels);
    for (int count = first; goal_.mix && count <= wanted_of(most_rings); ++count) {
      consider(detail::equal_rings(*goal_.mix, index(count)));
    }
  }

  /// Adds rings to a set one at a time; each starts as the reverse of the one before it.
  void grow(RingSet set) {
    int useless = 0;
    while (useless < most_useless_rings && !is_enough() && !limits_.is_over()) {
      const double before = best_busbw_;
      set = consider_improved(single_ranks(set));
      useless = detail::is_below(before, best_busbw_) ? 0 : useless + 1;
      if (set.size() == most_rings) {
        break;
      }
      set.emplace_back(set.back().rbegin(), set.back().rend());
    }
  }

  /// For a wanted number of rings, considers the best of each divisor of that number, repeated.
  void consider_repeated() {
    const int most = std::min(static_cast<int>(most_rings), search_.channels / 2);
    for (int fewer = most; fewer > 0 && !is_proved() && !limits_.is_over(); --fewer) {
      if (search_.channels % fewer != 0) continue;
      Searcher part{*paths_, {fewer, search_.time_limit, search_.seed}};
      part.limits_.deadline = limits_.deadline;
      part.search_all();
      consider(part.best_);
    }
  }

  void consider_exact() {
    const double orders_of_one = std::tgamma(paths_->ranks());  // (n - 1)!
    const double orders = std::pow(orders_of_one, static_cast<double>(best_.size()));
    if (paths_->ranks() < 3 || orders > most_orders) {
      return;
    }
    SearchLimits limits =
        limits_for(best_.size(), proved_ ? best_busbw_ : goal_.bound.busbw.value());
    limits.changes = most_hops;
    if (const std::optional<RingSet> found = detail::exact_rings(*paths_, best_, limits)) {
      consider(*found);
      proved_ = true;
    }
  }

  const TransferPaths* paths_;
  RingState state_;  // without rings; reused for all sets, because it is as large as the cluster
  RingSearch search_;
  detail::SearchGoal goal_;
  SearchLimits limits_;
  RingSet best_;
  double best_busbw_ = 0;
  double best_latency_ = 0;
  bool proved_ = false;
};

}  // namespace

FoundRings search_rings(const TransferPaths& paths, const RingSearch& search) {
  expect(search.channels >= 0, "{} channels", search.channels);
  return Searcher{paths, search}.run();
}

}  // namespace ringcast
