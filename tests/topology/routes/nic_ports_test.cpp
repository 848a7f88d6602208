#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;

/// GPUs and as many NICs of 6 GB/s on one PCIe switch.
NodeTypeSpec beside_nics(int gpus_of_node) {
  const DeviceSpec group = switches(1, {gpus(gpus_of_node), nics(gpus_of_node)});
  return {"beside", {socket({group})}, std::nullopt, {}, std::nullopt};
}

/// The same machine, one of whose NICs has another rate.
Topology with_rate(const ClusterSpec& spec, const std::string& nic, double rate) {
  Cluster cluster = build_cluster(spec);
  for (Cable& each : cluster.cables) {
    const bool leaves = cluster.vertices[static_cast<std::size_t>(each.b)].node < 0;
    if (leaves && cluster.vertices[static_cast<std::size_t>(each.a)].name == nic) {
      each.bandwidth = BytesPerSecond{rate};
    }
  }
  return Topology{std::move(cluster)};
}

// One of two NICs is slower: from half of the rate on it is worth it.
TEST(NicPorts, LeaveOutThoseOfLessThanHalfTheRate) {
  const auto nics_with = [](double slower) {
    const Topology topology = with_rate(on_one_switch(beside_nics(2), 2), "node0.nic0", slower);
    std::set<std::string> nics;
    for (int gpu = 0; gpu < 2; ++gpu) {
      nics.insert(path(topology, gpu, 2 + gpu).at(2));
      nics.insert(path(topology, 2 + gpu, gpu).at(3));
    }
    return nics;
  };

  EXPECT_EQ(nics_with(2.9e9),
            (std::set<std::string>{"node0.nic1 -> switch0", "switch0 -> node0.nic1"}));
  EXPECT_EQ(nics_with(3e9).size(), 4U);
}

// Leaves 0 and 1 are joined by spines. The slow NIC is the only one of its node on leaf 0, so no
// route enters the other node there either.
TEST(NicPorts, LeaveOutTheRailOfASlowOne) {
  const Topology topology =
      with_rate(on_fat_tree(beside_nics(2), 2, 2, 4, 1, 2), "node0.nic0", 1e9);
  for (int gpu = 0; gpu < 2; ++gpu) {
    const std::vector<std::string> links = path(topology, gpu, 2 + gpu);
    ASSERT_EQ(links.size(), 6U);  // through one leaf
    EXPECT_EQ(links[1], "node0.sw0 -> node0.nic1");
    EXPECT_EQ(links[4], "node1.nic1 -> node1.sw0");
  }
}

// A rail of its own for each NIC, without a spine: the only way between the GPUs is slow.
TEST(NicPorts, KeepTheOnlyRail) {
  const Topology topology = with_rate(on_one_switch(beside_nics(1), 2), "node0.nic0", 1e9);
  EXPECT_EQ(path(topology, 0, 1).at(1), "node0.sw0 -> node0.nic0");
}

// Four NICs on one, two or four switches, NIC k on switch k modulo their number: each of four GPUs
// that send to their counterparts has a NIC of its own at either end.
TEST(NicPorts, AreSharedEquallyWhateverTheirSwitches) {
  for (const int rails : {1, 2, 4}) {
    const Topology topology{build_cluster(on_one_switch(beside_nics(4), 2, rails))};
    std::set<std::string> out;
    std::set<std::string> in;
    for (int gpu = 0; gpu < 4; ++gpu) {
      const std::vector<std::string> links = path(topology, gpu, 4 + gpu);
      out.insert(links.at(2));
      in.insert(links.at(3));
    }
    EXPECT_EQ(out.size(), 4U) << rails << " rails";
    EXPECT_EQ(in.size(), 4U) << rails << " rails";
  }
}

// Leaves of 11 and of 10 ports: a leaf is full after the first NICs of node 1, whose other ones are
// on the next. Each GPU still has a NIC of its own at either end, in both directions.
TEST(NicPorts, AreSharedEquallyWhereALeafEndsAmidANode) {
  for (const int in_group : {2, 4}) {
    const NodeTypeSpec type{"groups",
                            {socket({switches(8 / in_group, {gpus(in_group), nics(in_group)})})},
                            std::nullopt,
                            {},
                            std::nullopt};
    for (const int radix : {22, 20, 26, 30}) {
      const Topology topology{build_cluster(on_fat_tree(type, 3, 2, radix))};
      for (const int by : {8, 16}) {
        std::set<std::string> out;
        std::set<std::string> in;
        for (int gpu = 0; gpu < 24; ++gpu) {
          const std::vector<std::string> links = path(topology, gpu, (gpu + by) % 24);
          out.insert(links.at(1));
          in.insert(links.at(links.size() - 2));
        }
        EXPECT_EQ(out.size(), 24U) << in_group << " GPUs to a switch, radix " << radix;
        EXPECT_EQ(in.size(), 24U) << in_group << " GPUs to a switch, radix " << radix;
      }
    }
  }
}

// Two rails, and a spine because both NICs of node 2 are on the first of them.
TEST(NicPorts, KeepToTheirRailsThoughANodeIsCabledWrongly) {
  ClusterSpec spec = cluster_of(beside_nics(2), 3);
  ExplicitFabricSpec& fabric = spec.explicit_fabric.emplace();
  fabric.switches = {"first", "second", "spine"};
  fabric.cables = {{"first", "spine", fdr()},      {"second", "spine", fdr()},
                   {"node0.nic0", "first", fdr()}, {"node0.nic1", "second", fdr()},
                   {"node1.nic0", "first", fdr()}, {"node1.nic1", "second", fdr()},
                   {"node2.nic0", "first", fdr()}, {"node2.nic1", "first", fdr()}};
  const Topology topology{build_cluster(spec)};

  for (const int rail : {0, 1}) {
    EXPECT_EQ(path(topology, rail, 2 + rail).size(), 6U);
    for (const int node : {1, 2}) {
      EXPECT_EQ(path(topology, rail, 2 * node + rail).at(1),
                fmt::format("node0.sw0 -> node0.nic{}", rail));
    }
  }
}

}  // namespace
}  // namespace ringcast
