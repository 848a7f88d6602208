#include "topology/routes/gateways.hpp"

#include <algorithm>

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"

namespace ringcast::detail {
namespace {

std::vector<int> vertices_of(const std::vector<Gateway>& gateways) {
  std::vector<int> vertices;
  for (const Gateway& gateway : gateways) {
    vertices.push_back(gateway.vertex);
  }
  return vertices;
}

// Vertices 0 to 4 are NICs; 5 and 6 are switches of one part of the fabric, 7 is one of another.
TEST(Gateways, AreThoseThatNoOtherIsNearerThanInTheirParts) {
  const std::vector<int> parts{-1, -1, -1, -1, -1, 5, 5, 7};
  const Gateway near{0, 1, {5}};
  const Gateway as_near{1, 1, {6}};
  const Gateway farther{2, 2, {5}};
  const Gateway of_both{3, 3, {6, 7}};
  const Gateway to_a_nic{4, 9, {2}};

  EXPECT_EQ(vertices_of(nearest_in_parts({farther, near, as_near, of_both, to_a_nic}, parts)),
            (std::vector{0, 1, 3, 4}));
  EXPECT_EQ(vertices_of(nearest_in_parts({of_both, {2, 2, {7}}, near}, parts)),
            (std::vector{2, 0}));
}

// Two GPUs and two NICs below each PCIe switch, four NICs on three rails: NIC 3 shares the
// leaves of rail 0 with NIC 0, so their leaves hold two nodes of the six, those of the others
// four. From node 1 to node 2 NICs 1 and 2 have a common leaf and the others do not. Each GPU uses
// its own.
TEST(Routes, GoThroughEquallyNearNicsAlikeWhateverTheirLeaves) {
  using namespace machines;
  const DeviceSpec pair{VertexKind::pcie_switch, 2, cable("custom", 24, 1), {gpus(2), nics(2)}};
  NodeTypeSpec type{"node", {socket({pair})}, cable("custom", 20, 1), {}, std::nullopt};
  ClusterSpec spec = cluster_of(type, 6);
  spec.fat_tree = FatTreeSpec{2, 8, 1.0, 3, cable("custom", 24, 1), std::nullopt};
  const Topology topology{build_cluster(spec)};

  for (const auto& [from, to] : {std::pair{1, 2}, {2, 3}, {3, 4}}) {
    for (int gpu = 0; gpu < 4; ++gpu) {
      const std::vector<std::string> way = path(topology, 4 * from + gpu, 4 * to + gpu);
      const auto crosses = [&](int node) {
        const std::string nic = fmt::format("node{}.nic{} ", node, gpu);
        return std::ranges::any_of(
            way, [&](const std::string& link) { return (link + " ").find(nic) != link.npos; });
      };
      EXPECT_TRUE(crosses(from) && crosses(to)) << fmt::format("{}", fmt::join(way, ", "));
    }
  }
}

}  // namespace
}  // namespace ringcast::detail
