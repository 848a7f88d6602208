#include "app/config/cluster/degradation.hpp"

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;

Cluster two_nodes() {
  return build_cluster(on_one_switch(dgx1(), 2));
}
std::string refused(const std::string& changes) {
  Cluster cluster = two_nodes();
  return refusal([&] { degrade(cluster, changes); });
}

TEST(Degrade, ANicsNameIsItsCableToTheNetwork) {
  Cluster cluster = two_nodes();
  EXPECT_EQ(degrade(cluster, "node1.nic0=3GB/s"),
            std::vector<std::string>{"node1.nic0 - switch0: 3 GB/s instead of 6 GB/s"});
  EXPECT_EQ(cable_between(cluster, "node1.nic0", "switch0").bandwidth, BytesPerSecond{3e9});
  EXPECT_EQ(cable_between(cluster, "node0.nic0", "switch0").bandwidth, BytesPerSecond{6e9});
}

TEST(Degrade, ANicsCableMayLeadToAnotherNic) {
  ClusterSpec joined = on_one_switch(dgx1(), 2);
  const CableSpec cable = joined.single_switch->cable;
  joined.single_switch.reset();
  joined.explicit_fabric = ExplicitFabricSpec{{}, {{"node0.nic0", "node1.nic0", cable}}};
  Cluster cluster = build_cluster(joined);
  EXPECT_EQ(degrade(cluster, "node1.nic0=3GB/s"),
            std::vector<std::string>{"node0.nic0 - node1.nic0: 3 GB/s instead of 6 GB/s"});
}

TEST(Degrade, RemovesACable) {
  for (const std::string text : {"node0.nic1=missing", "node0.nic1=0",
                                 "switch0 - node0.nic1=missing", "node0.nic1 -> switch0=0"}) {
    Cluster cluster = two_nodes();
    const std::size_t before = cluster.cables.size();
    EXPECT_EQ(degrade(cluster, text), std::vector<std::string>{"node0.nic1 - switch0: missing"});
    EXPECT_EQ(cluster.cables.size(), before - 1);
    EXPECT_EQ(neighbours(cluster, "node0.nic1", "switch").size(), 0U);
  }
}

// A cable with 6 GB/s one way, 10 both ways and 4 by kernels: twice 3 is less than 10, twice 5.5 is
// not.
TEST(Degrade, LimitsWhatACableCarriesOtherwise) {
  const auto degraded_to = [](const std::string& rate) {
    ClusterSpec spec = on_one_switch(dgx1(), 2);
    spec.single_switch->cable.both_ways = 10_GBps;
    spec.single_switch->cable.kernel_bandwidth = 4_GBps;
    Cluster cluster = build_cluster(spec);
    degrade(cluster, "node1.nic0=" + rate);
    const Cable cable = cable_between(cluster, "node1.nic0", "switch0");
    return std::pair{cable.both_ways, cable.kernel_bandwidth};
  };
  EXPECT_EQ(degraded_to("3 GB/s"), std::pair(6_GBps, 3_GBps));
  EXPECT_EQ(degraded_to("5.5 GB/s"), std::pair(10_GBps, 4_GBps));
}

TEST(Degrade, RemovesSeveralCables) {
  Cluster cluster = two_nodes();
  degrade(cluster, "node0.nic0=missing, node0.nic1=missing");
  EXPECT_EQ(neighbours(cluster, "node0.nic0", "switch").size(), 0U);
  EXPECT_EQ(neighbours(cluster, "node0.nic1", "switch").size(), 0U);
  EXPECT_EQ(neighbours(cluster, "node0.nic2", "switch").size(), 1U);
}

// Radix 4, no oversubscription: two nodes below each leaf, with two cables to the spine.
TEST(Degrade, SaysHowManyCablesHaveTheSameName) {
  Cluster cluster = build_cluster(on_fat_tree(dual_root(), 4, 2, 4, 1));
  EXPECT_EQ(degrade(cluster, "leaf0 - spine0=missing, leaf0 - spine0=1GB/s"),
            (std::vector<std::string>{"one of 2 cables leaf0 - spine0: missing",
                                      "one of 2 cables leaf0 - spine0: 1 GB/s instead of 6 GB/s"}));
}

// A NIC with two cables to one switch, which have one name.
TEST(Degrade, NamesEachChoiceOnce) {
  ClusterSpec spec = cluster_of(least(), 2);
  ExplicitFabricSpec& fabric = spec.explicit_fabric.emplace();
  fabric.switches = {"s"};
  for (const char* const nic : {"node0.nic0", "node0.nic0", "node1.nic0"})
    fabric.cables.push_back({nic, "s", cable("plane", 6)});
  Cluster cluster = build_cluster(spec);
  EXPECT_EQ(refusal([&] { degrade(cluster, "node0.nic0=5GB/s"); }),
            "--degrade: node0.nic0 has 2 cables to the network (expected node0.nic0 - s)");
}

// Four NICs of a GPU are one with a cable of four times the rate.
TEST(Degrade, SaysThatACableIsABundle) {
  Cluster cluster = build_cluster(on_one_switch(
      {"node", {socket({switches(1, {gpus(1), nics(4)})})}, std::nullopt, {}, std::nullopt}, 2));
  EXPECT_EQ(
      degrade(cluster, "node0.nic0=missing"),
      std::vector<std::string>{"node0.nic0 - switch0: missing, all of 4 x infiniband-fdr-4x"});
}

// Radix 8: a leaf has four cables up.
TEST(Degrade, TakesTheEqualUplinksOfAdaptiveRoutingAsOneCable) {
  ClusterSpec spec = on_fat_tree(least(), 12, 2, 8);
  spec.fat_tree->adaptive_routing = true;
  Cluster cluster = build_cluster(spec);
  EXPECT_EQ(degrade(cluster, "leaf0 - spine0=18GB/s, leaf1 - spine0=missing"),
            (std::vector<std::string>{"leaf0 - spine0: 18 GB/s instead of 24 GB/s",
                                      "leaf1 - spine0: missing, all of 4 x infiniband-fdr-4x"}));
}

// Nodes of one rank.
TEST(Degrade, KeepsTheCablesOfNodesOutsideOfTheJob) {
  const auto cables = [](const std::vector<int>& jobs) {
    Cluster cluster = build_cluster(on_one_switch(least(), 3));
    EXPECT_EQ(degrade(cluster, "node2.nic0=missing", jobs),
              std::vector<std::string>{"node2.nic0 - switch0: missing"});
    return neighbours(cluster, "node2.nic0", "switch").size();
  };
  EXPECT_EQ(cables({1, 2}), 1U);
  EXPECT_EQ(cables({1, 3}), 0U);
}

// Two nodes of one rank below each leaf, with two cables to the only spine.
TEST(Degrade, MayDisconnectNodesOutsideOfTheJob) {
  const auto refused_for = [](const std::vector<int>& jobs) {
    Cluster cluster = build_cluster(on_fat_tree(least(), 4, 2, 4, 1));
    degrade(cluster, "leaf1 - spine0=missing, leaf1 - spine0=missing", jobs);
    return refusal([&] { return degraded_topology(cluster); });
  };
  EXPECT_EQ(refused_for({1, 2}), "nothing was refused");
  EXPECT_EQ(refused_for({3}),
            "--degrade: no cables connect node0.gpu0 and node2.gpu0 (expected a route through no "
            "other GPU and no other node)");
}

TEST(Degrade, TakesSeveralChanges) {
  Cluster cluster = two_nodes();
  EXPECT_EQ(degrade(cluster, "node0.nic0=1GB/s, node1.nic1=missing").size(), 2U);
}

TEST(Degrade, MakesANodeDifferFromOthersOfItsType) {
  Cluster cluster = two_nodes();
  EXPECT_EQ(cluster.node_types[0], cluster.node_types[1]);
  degrade(cluster, "node1.nic0=3GB/s");
  EXPECT_EQ(cluster.node_types[0], cluster.node_types[1]);
  degrade(cluster, "node1.gpu0 - node1.gpu1=missing");
  EXPECT_NE(cluster.node_types[0], cluster.node_types[1]);
}

TEST(Degrade, RefusesNamesThatAreNotThere) {
  EXPECT_EQ(refused("node1.nicO=3GB/s"),
            "--degrade: no \"node1.nicO\" in test, did you mean \"node1.nic0\"? (expected a name "
            "that ringcast show prints)");
  EXPECT_EQ(refused("node9.gpu0 - switch0=3GB/s").substr(0, 33),
            "--degrade: no \"node9.gpu0\" in tes");
  EXPECT_EQ(
      refused("node0.nic0 - node1.nic0=3GB/s"),
      "--degrade: no cable between node0.nic0 and node1.nic0 (expected node0.sw0 - node0.nic0 "
      "or node0.nic0 - switch0)");
  // A GPU has a PCIe cable and NVLinks.
  EXPECT_NE(refused("node0.gpu0=3GB/s").find("node0.gpu0 has 5 cables (expected "),
            std::string::npos);
}

TEST(Degrade, RefusesWhatIsNoDegradation) {
  EXPECT_EQ(refused("node0.nic0"),
            "--degrade: \"node0.nic0\" (expected CABLE=RATE or CABLE=missing, e.g. "
            "node0.nic0=3GB/s)");
  EXPECT_EQ(refused(""),
            "--degrade: \"\" (expected CABLE=RATE or CABLE=missing, e.g. node0.nic0=3GB/s)");
  EXPECT_EQ(
      refused("node0.nic0=6GB/s"),
      "--degrade: 6 GB/s is no less than the 6 GB/s of node0.nic0 - switch0 (expected less, or "
      "missing)");
  for (const std::string again : {"node0.nic0", "switch0 - node0.nic0"}) {
    EXPECT_EQ(refused("node0.nic0=missing, " + again + "=3GB/s"),
              "--degrade: node0.nic0 - switch0 is named twice (expected each cable once)");
  }
  EXPECT_NE(refused("node0.nic0=3").find("--degrade: "), std::string::npos);
  EXPECT_NE(refused("node0.nic0=-3GB/s").find("--degrade: "), std::string::npos);
}

}  // namespace
}  // namespace ringcast
