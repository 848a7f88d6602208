// Iterated local search over the blocks of rings (Lourenço, Martin, Stützle: Iterated Local Search,
// 2003).
//
// A descent looks at the hops that cross the busiest link and tries changes that remove one of
// them:
//
//   exchange  a [b c] [d e] f  ->  a [d e] [b c] f   two neighbouring runs of blocks (or-opt)
//   reverse   a [b c d] e      ->  a [d c b] e       a run, each block backwards as well (2-opt)
//   swap      a [b] c d [e] f  ->  a [e] c d [b] f   two blocks
//
// and keeps each that lowers the cost: that of the busiest link or, if that is equal, the sum of
// squares, which spreads load and shortens paths. Hops are removed and added incrementally, so that
// the cost of a change is proportional to the links that it touches. In long rings, runs are short
// and near the hop.
//
// Between descents a random exchange and swap perturb one ring; a worse result is undone. With
// several rings, a change of one may free links for the others.
#include "topology/rings/ring_improvement.hpp"

#include <algorithm>
#include <random>

#include "topology/cluster/index.hpp"

namespace ringcast::detail {

namespace {

/// The search ends after this many perturbations in a row without a gain.
constexpr int most_failures = 40;
/// Rings of at most this many blocks try all changes.
constexpr std::size_t few_blocks = 16;
/// The reach of a change in longer rings, in blocks.
constexpr std::size_t window = 12;
/// The longest run that a change moves in longer rings.
constexpr std::size_t longest_run = 3;

bool is_better(const RingCost& a, const RingCost& b) {
  if (is_below(a.slowest, b.slowest) || is_below(b.slowest, a.slowest)) {
    return a.slowest < b.slowest;
  }
  if (is_below(a.squares, b.squares) || is_below(b.squares, a.squares)) {
    return a.squares < b.squares;
  }
  return is_below(a.latency, b.latency);
}

class LocalSearch {
 public:
  LocalSearch(const TransferPaths& paths, std::vector<BlockRing> rings, const SearchLimits& limits)
      : state_{paths}, rings_{std::move(rings)}, limits_{limits}, random_{limits.seed} {
    for (const BlockRing& ring : rings_) {
      for (const std::vector<Rank>& block : ring) {
        state_.path(block);
      }
      for (std::size_t i = 0; i < ring.size(); ++i) {
        gap(ring, i, 1);
      }
    }
  }

  std::vector<BlockRing> run() {
    descend();
    for (int failures = 0; failures < most_failures && !is_done() && rings_.front().size() > 3;) {
      const std::vector<BlockRing> before = rings_;
      const RingState state = state_;
      perturb();
      descend();
      failures = is_better(state_.cost(), state.cost()) ? 0 : failures + 1;
      if (is_better(state.cost(), state_.cost())) {
        rings_ = before;
        state_ = state;
      }
    }
    return rings_;
  }

 private:
  /// The hop from block i to the next one.
  void gap(const BlockRing& ring, std::size_t i, int messages) {
    if (ring.size() > 1) {
      state_.hop(ring[i].back(), ring[(i + 1) % ring.size()].front(), messages);
    }
  }

  [[nodiscard]] bool is_done() const {
    return changes_ >= limits_.changes || limits_.is_over() ||
           !is_below(limits_.floor, state_.cost().slowest);
  }

  /// Keeps a change if it lowers the cost, or undoes it.
  template <typename Change, typename Undo>
  bool keep(const Change& change, const Undo& undo) {
    const RingCost before = state_.cost();
    ++changes_;
    change();
    if (is_better(state_.cost(), before)) {
      return true;
    }
    undo();
    return false;
  }

  /// The runs [low, middle) and [middle, high) change places.
  void do_exchange(BlockRing& ring, std::size_t low, std::size_t middle, std::size_t high) {
    const std::size_t before = (low + ring.size() - 1) % ring.size();
    for (const std::size_t i : {before, middle - 1, high - 1}) {
      gap(ring, i, -1);
    }
    const auto at = [&](std::size_t i) { return ring.begin() + static_cast<std::ptrdiff_t>(i); };
    std::rotate(at(low), at(middle), at(high));
    for (const std::size_t i : {before, low + high - middle - 1, high - 1}) {
      gap(ring, i, 1);
    }
  }

  bool exchange(BlockRing& ring, std::size_t low, std::size_t middle, std::size_t high) {
    if (high - low >= ring.size()) {
      return false;  // a rotation of the whole ring
    }
    return keep([&] { do_exchange(ring, low, middle, high); },
                [&] { do_exchange(ring, low, low + high - middle, high); });
  }

  void do_reverse(BlockRing& ring, std::size_t low, std::size_t high) {
    const bool all = high - low == ring.size();
    const auto count = [&](int messages) {
      for (std::size_t i = low; i < high; ++i) {
        gap(ring, i, messages);
        state_.path(ring[i], messages);
      }
      if (!all) {
        gap(ring, (low + ring.size() - 1) % ring.size(), messages);
      }
    };
    count(-1);
    std::reverse(ring.begin() + static_cast<std::ptrdiff_t>(low),
                 ring.begin() + static_cast<std::ptrdiff_t>(high));
    for (std::size_t i = low; i < high; ++i) {
      std::ranges::reverse(ring[i]);
    }
    count(1);
  }

  bool reverse(BlockRing& ring, std::size_t low, std::size_t high) {
    return keep([&] { do_reverse(ring, low, high); }, [&] { do_reverse(ring, low, high); });
  }

  void do_swap(BlockRing& ring, std::size_t a, std::size_t b) {
    const std::size_t size = ring.size();
    std::vector<std::size_t> gaps{(a + size - 1) % size, a, (b + size - 1) % size, b};
    std::ranges::sort(gaps);
    gaps.erase(std::unique(gaps.begin(), gaps.end()), gaps.end());
    for (const std::size_t i : gaps) {
      gap(ring, i, -1);
    }
    std::swap(ring[a], ring[b]);
    for (const std::size_t i : gaps) {
      gap(ring, i, 1);
    }
  }

  bool swap(BlockRing& ring, std::size_t a, std::size_t b) {
    return a != b && keep([&] { do_swap(ring, a, b); }, [&] { do_swap(ring, a, b); });
  }

  /// Tries the changes that remove the hop after block i.
  bool relieve(BlockRing& ring, std::size_t i) {
    if (swap_end(ring, i)) {
      return true;
    }
    const bool few = ring.size() <= few_blocks;
    const std::size_t first = few || i < window ? 0 : i - window;
    const std::size_t last = few ? ring.size() : std::min(ring.size(), i + window);
    for (std::size_t low = first; low < last; ++low) {
      for (std::size_t high = low + 1; high <= last; ++high) {
        if (move_run(ring, i, low, high, last)) {
          return true;
        }
      }
    }
    return false;
  }

  /// Swaps a block at the hop after block i with another.
  bool swap_end(BlockRing& ring, std::size_t i) {
    const std::size_t size = ring.size();
    const bool few = size <= few_blocks;
    const std::size_t others = few ? size : 2 * window;
    for (std::size_t step = 0; step < others; ++step) {
      const std::size_t other = few ? step : (i + size - window + step) % size;
      if (swap(ring, i, other) || swap(ring, (i + 1) % size, other)) {
        return true;
      }
    }
    return false;
  }

  /// Reverses the run [low, high), or exchanges it with one behind it that ends by `last`, if that
  /// removes the hop after block i.
  bool move_run(BlockRing& ring, std::size_t i, std::size_t low, std::size_t high,
                std::size_t last) {
    const std::size_t size = ring.size();
    const bool removes = low == i + 1 || high == i + 1 || (low == 0 && i + 1 == size);
    if (removes && reverse(ring, low, high)) {
      return true;
    }
    const std::size_t longest = size <= few_blocks ? size : longest_run;
    if (high - low > longest) {
      return false;
    }
    const std::size_t end = std::min(high + longest, last);
    for (std::size_t top = high + 1; top <= end; ++top) {
      if ((removes || top == i + 1) && exchange(ring, low, high, top)) {
        return true;
      }
    }
    return false;
  }

  bool relieve_some() {
    for (BlockRing& ring : rings_) {
      for (std::size_t i = 0; i < ring.size(); ++i) {
        const Rank from = ring[i].back();
        const Rank to = ring[(i + 1) % ring.size()].front();
        if (state_.is_at_bottleneck(from, to)) {
          if (relieve(ring, i)) {
            return true;
          }
          if (is_done()) {
            return false;
          }
        }
      }
    }
    return false;
  }

  void descend() {
    while (!is_done() && relieve_some()) {
    }
  }

  void perturb() {
    BlockRing& ring = rings_[random_() % rings_.size()];
    const std::size_t size = ring.size();
    std::vector<std::size_t> ends{1 + random_() % (size - 1), 1 + random_() % (size - 1),
                                  1 + random_() % (size - 1)};
    std::ranges::sort(ends);
    if (ends[0] < ends[1] && ends[1] < ends[2]) {
      do_exchange(ring, ends[0], ends[1], ends[2]);
    }
    do_swap(ring, random_() % size, random_() % size);
    ++changes_;
  }

  RingState state_;
  std::vector<BlockRing> rings_;
  SearchLimits limits_;
  std::mt19937_64 random_;
  std::uint64_t changes_ = 0;
};

}  // namespace

std::vector<BlockRing> improved_rings(const TransferPaths& paths, std::vector<BlockRing> rings,
                                      const SearchLimits& limits) {
  if (rings.empty() || rings.front().size() < 2) {
    return rings;
  }
  return LocalSearch{paths, std::move(rings), limits}.run();
}

}  // namespace ringcast::detail
