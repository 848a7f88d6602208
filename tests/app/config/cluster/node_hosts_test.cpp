#include <string>

#include <gtest/gtest.h>

#include "tests/app/config/cluster/right_cluster.hpp"
#include "tests/app/temporary_folder.hpp"
#include "topology/cluster/cluster.hpp"

namespace ringcast {
namespace {

// The host `node1` is the first node. A domain is a part of the name.
TEST(NodeHosts, NameNodes) {
  std::string text = right_cluster;
  text.replace(text.find("count: 2}\nfabric"), 8, "hosts: [node1, b.site]");
  text.replace(text.find("kind: switch\n  link: ib"), 24,
               "kind: explicit\n  cables: [{from: node1.nic0, to: b.site.nic0, link: ib}]");
  const ClusterSpec spec = cluster_in(text);
  EXPECT_EQ(spec.nodes.front().count, 2);
  EXPECT_EQ(spec.explicit_fabric.value().cables.front().from, "node1.nic0");
  const Cluster cluster = build_cluster(spec);
  const Cable& cable = cluster.cables.back();
  EXPECT_EQ(cluster.vertex(cable.a).name, "node1.nic0");
  EXPECT_EQ(cluster.vertex(cable.b).name, "b.site.nic0");
  EXPECT_EQ(cluster.vertex(cable.b).node, 1);

  text.replace(text.find("from: node1"), 11, "from: node0");
  EXPECT_EQ(
      refusal_of([&] { return cluster_in(text); }),
      "cluster.yaml:21:19: fabric.cables[0].from: a cable to nowhere: \"node0.nic0\" (expected "
      "a name under switches, or a NIC, e.g. b.site.nic0)");
}

// A switch may have the name that a NIC has without hosts, but none of the vertices'.
TEST(NodeHosts, LeaveOtherNamesToSwitches) {
  const auto cluster_with = [](const std::string& name) {
    std::string text = right_cluster;
    text.replace(text.find("count: 2}\nfabric"), 8, "hosts: [a, b]");
    text.replace(text.find("kind: switch\n  link: ib"), 24,
                 "kind: explicit\n  switches: [" + name + "]\n  cables: [{from: a.nic0, to: " +
                     name + ", link: ib}, {from: b.nic0, to: " + name + ", link: ib}]");
    return cluster_in(text);
  };
  EXPECT_EQ(build_cluster(cluster_with("node0.nic0")).vertices.back().name, "node0.nic0");
  EXPECT_EQ(
      refusal_of([&] { return cluster_with("a.gpu0"); }),
      "cluster.yaml:20:3: fabric: the name a.gpu0 is used twice (expected a name of its own)");
}

TEST(NodeHosts, AreNotOfRacks) {
  EXPECT_EQ(
      refusal_of([] {
        return cluster_in(
            "name: two hosts that are one node\n"
            "node_types:\n"
            "  node:\n"
            "    sockets: [{root_complexes: [{devices: [{kind: gpu, link: pcie-5.0-x16}]}]}]\n"
            "    nvswitch: {links_per_gpu: 18, link: nvlink-4.0, nodes: 2}\n"
            "nodes: [{type: node, hosts: \"a[1-2]\"}]\n");
      }),
      "cluster.yaml:4:5: node_types.node: NVLink joins the hosts of this type to racks, which "
      "have no names (expected no hosts under nodes)");
}

}  // namespace
}  // namespace ringcast
