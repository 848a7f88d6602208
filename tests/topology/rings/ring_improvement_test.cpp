#include "topology/rings/ring_improvement.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/topology/random_machines.hpp"
#include "topology/rings/ring_state.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

using detail::BlockRing;
using detail::is_below;
using detail::RingCost;

RingCost cost_of(const TransferPaths& paths, const BlockRing& ring) {
  detail::RingState state{paths};
  std::vector<Rank> ranks;
  for (const std::vector<Rank>& block : ring)
    ranks.insert(ranks.end(), block.begin(), block.end());
  state.ring(ranks);
  return state.cost();
}

/// Whether a slower link, or more load on all, makes `now` worse.
bool is_worse(const RingCost& now, const RingCost& before) {
  if (is_below(now.slowest, before.slowest)) return false;
  return is_below(before.slowest, now.slowest) || is_below(before.squares, now.squares);
}

// The second and third search begin where no change is left that improves, and perturb that.
TEST(RingImprovement, IsNeverWorseThanItsStart) {
  machines::RandomMachines random{7};
  for (int i = 0; i < 12; ++i) {
    const Topology topology{build_cluster(random.of(6 + i % 8))};
    const TransferPaths paths{topology, {}, places_of_ranks(topology, topology.ranks(), {})};
    BlockRing ring;
    for (int rank = 0; rank < paths.ranks(); ++rank)
      ring.push_back({Rank{rank}});
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(fmt::format("machine {}, search {}", i, seed));
      const RingCost before = cost_of(paths, ring);
      const auto later = std::chrono::steady_clock::now() + std::chrono::seconds{60};
      ring = detail::improved_rings(paths, {ring}, {later, 0, seed, 3000}).front();
      EXPECT_FALSE(is_worse(cost_of(paths, ring), before));
    }
  }
}

}  // namespace
}  // namespace ringcast
