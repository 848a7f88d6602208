#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;

/// How many messages cross each link that joins two network switches.
std::map<std::string, int> uplink_load(const Topology& topology,
                                       const std::vector<std::pair<int, int>>& messages) {
  std::map<std::size_t, int> load;
  const Cluster& cluster = topology.cluster();
  for (const auto& [from, to] : messages) {
    for (const LinkId link : route(topology, Rank{from}, Rank{to}).links) {
      const Cable& cable = cluster.cables[index_of(link) / 2];
      if (cluster.vertices[static_cast<std::size_t>(cable.a)].node < 0 &&
          cluster.vertices[static_cast<std::size_t>(cable.b)].node < 0) {
        ++load[index_of(link)];
      }
    }
  }
  std::map<std::string, int> named;  // with the number of the link, as parallel cables share names
  for (const auto& [link, messages_on_it] : load) {
    named[std::to_string(link) + " " + topology.name_of(LinkId{static_cast<int>(link)})] =
        messages_on_it;
  }
  return named;
}

int greatest(const std::map<std::string, int>& load) {
  int most = 0;
  for (const auto& [link, messages] : load) {
    most = std::max(most, messages);
  }
  return most;
}

/// Each rank sends to the one `by` further on.
std::vector<std::pair<int, int>> shift(int ranks, int by, int step = 1) {
  std::vector<std::pair<int, int>> messages;
  for (int rank = 0; rank < ranks; rank += step) {
    messages.emplace_back(rank, (rank + by) % ranks);
  }
  return messages;
}

TEST(Spread, GivesEachMessageOfAShiftBetweenLeavesAnUplinkOfItsOwn) {
  // 2 levels, radix 36, 1:1: leaves of 18 with 6 spines, 3 parallel cables to each.
  const Topology topology{build_cluster(on_fat_tree(least(), 144, 2, 36))};

  const auto load = uplink_load(topology, shift(144, 18));

  EXPECT_EQ(load.size(), 2U * 144U);  // all uplinks up, all down
  EXPECT_EQ(greatest(load), 1);
}

TEST(Spread, GivesEachMessageOfAShiftThroughThreeLevelsAnUplinkOfItsOwn) {
  // Radix 8: 8 pods of 16 nodes; a shift by 16 crosses the cores: up twice, down twice.
  const Topology topology{build_cluster(on_fat_tree(least(), 128, 3, 8))};

  const auto load = uplink_load(topology, shift(128, 16));

  EXPECT_EQ(load.size(), 4U * 128U);
  EXPECT_EQ(greatest(load), 1);
}

TEST(Spread, StaysEvenWithParallelCablesOnBothUpperLevels) {
  // Radix 8, 24 nodes: 6 leaves in pods of 4 and 2; 4 spines per pod; 2 pods share one core per
  // group, 4 parallel cables from each spine.
  const Topology topology{build_cluster(on_fat_tree(least(), 24, 3, 8))};

  // Nodes 0 to 7 of the first pod send to the 8 nodes of the second.
  std::vector<std::pair<int, int>> messages;
  for (int node = 0; node < 8; ++node) {
    messages.emplace_back(node, 16 + node);
  }

  const auto load = uplink_load(topology, messages);
  EXPECT_EQ(load.size(), 4U * 8U);
  EXPECT_EQ(greatest(load), 1);
}

TEST(Spread, SharesOversubscribedUplinksEvenly) {
  // 2:1, radix 36: 24 down, 12 up, so two messages of a shift on each uplink.
  const Topology topology{build_cluster(on_fat_tree(least(), 144, 2, 36, 2))};

  const auto load = uplink_load(topology, shift(144, 24));

  EXPECT_EQ(load.size(), 2U * 72U);
  EXPECT_EQ(greatest(load), 2);
}

TEST(Spread, KeepsARingOfManyGpusPerNodeApart) {
  // Rank 8i + 7 sends to 8(i + 1): one message per node, and all destinations are multiples of 8.
  const Topology topology{build_cluster(on_fat_tree(dual_root(), 32, 2, 16))};

  const auto load = uplink_load(topology, shift(256, 1));

  // 4 leaves of 8 nodes: only the last node of each leaf leaves it.
  EXPECT_EQ(load.size(), 2U * 4U);
  EXPECT_EQ(greatest(load), 1);
  EXPECT_EQ(greatest(uplink_load(topology, shift(256, 64, 8))), 1);
}

TEST(Spread, KeepsRailsApartInTheSharedSpines) {
  // Radix 16, 8 rails: 8 nodes per leaf. All 64 GPUs of 8 nodes send to the next 8 nodes.
  const Topology topology{build_cluster(on_fat_tree(eight_rails(), 16, 2, 16, 1, 8))};

  const auto load = uplink_load(topology, shift(128, 64));

  EXPECT_EQ(load.size(), 2U * 128U);
  EXPECT_EQ(greatest(load), 1);
}

TEST(Spread, KeepsRoutesFromLeafToLeafOnTheirRails) {
  // Radix 4: leaves of two NICs, so that nodes 2 and 3 are on other leaves than node 0. Both of
  // its NICs are as near to each of its GPUs.
  const NodeTypeSpec type{
      "pair", {socket({switches(1, {gpus(2), nics(2)})})}, qpi(), {}, std::nullopt};
  const Topology topology{build_cluster(on_fat_tree(type, 4, 2, 4, 1, 2))};

  for (const int node : {2, 3}) {
    for (const int rail : {0, 1}) {
      const std::vector<std::string> found = path(topology, rail, 2 * node + rail);
      EXPECT_EQ(found.at(1), fmt::format("node0.sw0 -> node0.nic{}", rail));
      EXPECT_EQ(found.at(found.size() - 2),
                fmt::format("node{0}.nic{1} -> node{0}.sw0", node, rail));
    }
  }
}

TEST(Spread, SharesEquallyNearNicsAmongTheGpusOfTheDestination) {
  NodeTypeSpec type = least();
  type.sockets[0].root_complexes[0].devices = {gpus(8), nics(4)};
  const Topology topology{build_cluster(on_one_switch(type, 3))};

  std::map<std::string, int> senders;
  std::map<std::string, int> receivers;
  for (int gpu = 0; gpu < 8; ++gpu) {
    const auto links = path(topology, 0, 8 + gpu);
    ++senders[links.at(2)];
    ++receivers[links.at(3)];
  }

  // 8 GPUs over 4 NICs
  EXPECT_EQ(senders, (std::map<std::string, int>{{"node0.nic0 -> switch0", 2},
                                                 {"node0.nic1 -> switch0", 2},
                                                 {"node0.nic2 -> switch0", 2},
                                                 {"node0.nic3 -> switch0", 2}}));
  EXPECT_EQ(receivers, (std::map<std::string, int>{{"switch0 -> node1.nic0", 2},
                                                   {"switch0 -> node1.nic1", 2},
                                                   {"switch0 -> node1.nic2", 2},
                                                   {"switch0 -> node1.nic3", 2}}));
}

TEST(Spread, SharesEquallyNearNicsAmongDestinationNodes) {
  NodeTypeSpec type = least();
  type.sockets[0].root_complexes[0].devices = {gpus(8), nics(4)};
  const Topology topology{build_cluster(on_one_switch(type, 5))};

  std::set<std::string> nics;
  for (int node = 1; node < 5; ++node) {
    nics.insert(path(topology, 0, 8 * node).at(2));
  }

  EXPECT_EQ(nics.size(), 4U);
}

// Two GPUs and two NICs on a PCIe switch, the NICs on rails of their own. Nodes 29 and 30 are on
// different leaves, so that a NIC of either rail is as far from one of the other.
TEST(Spread, SharesEquallyNearNicsOnSeveralLeaves) {
  const NodeTypeSpec type{
      "pairs", {socket({switches(4, {gpus(2), nics(2)})})}, std::nullopt, {}, std::nullopt};
  const Topology topology{build_cluster(on_fat_tree(type, 33, 3, 24, 1, 4))};

  EXPECT_EQ(path(topology, 8 * 29, 8 * 30).at(2), "node29.nic0 -> leaf16");
  EXPECT_EQ(path(topology, 8 * 29 + 1, 8 * 30 + 1).at(2), "node29.nic1 -> leaf17");
}

TEST(Spread, LeadsAllThatIsBoundForANicThroughOneTree) {
  const Topology topology{build_cluster(on_fat_tree(least(), 128, 3, 8))};

  // From wherever it comes, what leaves a switch for node 77 leaves it by one link.
  std::map<int, std::set<std::size_t>> out;
  for (int from = 0; from < 128; ++from) {
    if (from == 77) {
      continue;
    }
    for (const LinkId link : route(topology, Rank{from}, Rank{77}).links) {
      const Cable& cable = topology.cable_of(link);
      const int sender = index_of(link) % 2 == 0 ? cable.a : cable.b;
      out[sender].insert(index_of(link));
    }
  }

  for (const auto& [sender, links] : out) {
    EXPECT_EQ(links.size(), 1U)
        << topology.cluster().vertices[static_cast<std::size_t>(sender)].name;
  }
}

// From both ends of 140 pairs of switches the strides double 69 times, beyond 64 bits.
TEST(Spread, RoutesThroughManyLevels) {
  ClusterSpec spec = cluster_of(least(), 2);
  ExplicitFabricSpec ladder;
  for (int i = 0; i < 280; ++i) {
    ladder.switches.push_back(fmt::format("s{}", i));
    for (int other = 2 * (i / 2 + 1); other < std::min(280, 2 * (i / 2 + 2)); ++other) {
      ladder.cables.push_back({fmt::format("s{}", i), fmt::format("s{}", other), fdr()});
    }
  }
  ladder.cables.push_back({"node0.nic0", "s0", fdr()});
  ladder.cables.push_back({"node1.nic0", "s279", fdr()});
  spec.explicit_fabric = std::move(ladder);

  EXPECT_EQ(path(Topology{build_cluster(spec)}, 0, 1).size(), 145U);
}

TEST(Spread, RoutesARingOfAThousandRanks) {
  const Topology topology{build_cluster(on_fat_tree(dgx1(), 128, 2, 36))};

  for (int rank = 0; rank < 1024; ++rank) {
    ASSERT_FALSE(route(topology, Rank{rank}, Rank{(rank + 1) % 1024}).links.empty());
  }
}

TEST(Spread, UsesAllCablesBetweenTwoNicsByTheDestination) {
  const NodeTypeSpec pair{
      "pair", {socket({switches(1, {gpus(2), nics(1)})})}, std::nullopt, {}, std::nullopt};
  ClusterSpec spec = cluster_of(pair, 2);
  spec.explicit_fabric = ExplicitFabricSpec{
      {}, {{"node0.nic0", "node1.nic0", fdr()}, {"node1.nic0", "node0.nic0", fdr()}}};
  const Topology topology{build_cluster(spec)};

  std::set<std::size_t> cables;
  for (const int destination : {2, 3}) {
    for (const LinkId link : route(topology, Rank{0}, Rank{destination}).links) {
      if (topology.name_of(link) == "node0.nic0 -> node1.nic0") cables.insert(index_of(link) / 2);
    }
  }
  EXPECT_EQ(cables.size(), 2U);
}

}  // namespace
}  // namespace ringcast
