#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/rings/ring_search.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

using namespace machines;

/// Four groups of four nodes; two spines in each, and a cable of 1 GB/s from each spine to the one
/// of the same number in each other group.
ClusterSpec dragonfly() {
  ClusterSpec spec = cluster_of(least(), 16);
  ExplicitFabricSpec& fabric = spec.explicit_fabric.emplace();
  const CableSpec wide = cable("wide", 10);
  for (int group = 0; group < 4; ++group) {
    for (int i = 0; i < 2; ++i) {
      const std::string leaf = fmt::format("g{}leaf{}", group, i);
      const std::string spine = fmt::format("g{}spine{}", group, i);
      fabric.switches.push_back(leaf);
      fabric.switches.push_back(spine);
      for (int j = 0; j < 2; ++j) {
        fabric.cables.push_back({fmt::format("node{}.nic0", 4 * group + 2 * i + j), leaf, wide});
        fabric.cables.push_back({leaf, fmt::format("g{}spine{}", group, j), wide});
      }
      for (int other = 0; other < group; ++other)
        fabric.cables.push_back({spine, fmt::format("g{}spine{}", other, i), cable("global", 1)});
    }
  }
  return spec;
}

// Six cables leave each group, and six rings of 1 GB/s use one each.
TEST(RepeatedRings, AreFoundWhereFewerRingsAreOptimal) {
  const Topology topology{build_cluster(dragonfly())};
  const TransferPaths paths{topology, {}, places_of_ranks(topology, topology.ranks(), {})};
  for (const int channels : {6, 12, 18, 24}) {
    const FoundRings found = search_rings(paths, {channels, Seconds{60}, 1});
    EXPECT_EQ(found.rings.size(), static_cast<std::size_t>(channels));
    EXPECT_NEAR(found.busbw.value(), 6e9, 1) << channels;
    EXPECT_TRUE(found.proved_optimal) << channels;
  }
}

}  // namespace
}  // namespace ringcast
