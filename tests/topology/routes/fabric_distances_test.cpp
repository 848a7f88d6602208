#include "topology/routes/fabric_distances.hpp"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;

/// The distances by relaxing each cable between switches until nothing changes (Bellman, Ford), by
/// vertex.
std::vector<int> relaxed_distances(const Cluster& cluster, int start) {
  constexpr int far = detail::FabricDistances::unreachable;
  std::vector<int> distance(cluster.vertices.size(), far);
  distance[static_cast<std::size_t>(start)] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Cable& cable : cluster.cables) {
      if (cluster.vertices[static_cast<std::size_t>(cable.a)].node >= 0 ||
          cluster.vertices[static_cast<std::size_t>(cable.b)].node >= 0) {
        continue;
      }
      int& a = distance[static_cast<std::size_t>(cable.a)];
      int& b = distance[static_cast<std::size_t>(cable.b)];
      if (std::abs(a - b) > 1) {
        (a > b ? a : b) = std::min(a, b) + 1;
        changed = true;
      }
    }
  }
  return distance;
}

TEST(FabricDistances, AreThoseOfTheShortestWays) {
  // Three levels, where most switches are found from the far side, and one switch that is apart.
  Cluster cluster = build_cluster(on_fat_tree(least(), 128, 3, 8));
  cluster.vertices.push_back({"apart", VertexKind::network_switch, -1});
  detail::FabricDistances distances{cluster};
  int longest = 0;
  for (int start = 0; start < static_cast<int>(cluster.vertices.size()); ++start) {
    if (cluster.vertices[static_cast<std::size_t>(start)].node >= 0) continue;
    const std::vector<int> expected = relaxed_distances(cluster, start);
    const detail::FabricDistances::Answer found = distances.from({start});
    for (int at = 0; at < static_cast<int>(cluster.vertices.size()); ++at) {
      if (cluster.vertices[static_cast<std::size_t>(at)].node >= 0) continue;
      const int way = expected[static_cast<std::size_t>(at)];
      EXPECT_EQ((*found)[distances.number_of(at)], way) << start << " to " << at;
      longest = way == detail::FabricDistances::unreachable ? longest : std::max(longest, way);
    }
  }
  EXPECT_EQ(longest, 4);  // leaf, spine, core, spine, leaf
}

TEST(FabricDistances, EndWhereTheirNumbersDo) {
  constexpr int end = detail::FabricDistances::unreachable;
  Cluster chain;
  for (int at = 0; at < end + 10; ++at) {
    chain.vertices.push_back({"", VertexKind::network_switch, -1});
    if (at > 0) chain.cables.push_back({at - 1, at, BytesPerSecond{1}, Seconds{0}, "", ""});
  }
  const detail::FabricDistances::Answer found = detail::FabricDistances{chain}.from({0});
  for (int at = 0; at < end + 10; ++at) {
    ASSERT_EQ((*found)[static_cast<std::size_t>(at)], std::min(at, end));
  }
}

}  // namespace
}  // namespace ringcast
