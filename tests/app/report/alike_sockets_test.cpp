#include <algorithm>

#include <gtest/gtest.h>

#include "app/report/alike.hpp"
#include "app/report/show.hpp"
#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

// Five sockets are many. One with a limit of its memory, or a slower cable, differs.
TEST(AlikeSockets, AreManyWithTheSameDevicesAndCables) {
  NodeTypeSpec type = machines::least();
  type.socket_cable = machines::cable("upi-16", 22);
  const auto sockets_of = [&type](int count) {
    type.sockets.front().count = count;
    return detail::alike_sockets(build_cluster(machines::cluster_of(type, 1)), 0);
  };
  EXPECT_TRUE(sockets_of(4).empty());
  const std::vector<std::vector<int>> five = sockets_of(5);
  ASSERT_EQ(five.size(), 5U);
  EXPECT_EQ(five.front().size(), 4U);  // socket, root complex, GPU, NIC
  EXPECT_EQ(five.back().size(), 4U);

  Cluster cluster = build_cluster(machines::cluster_of(type, 1));
  Vertex& socket = cluster.vertices[static_cast<std::size_t>(five[3].front())];
  socket.memory = 40_GBps;
  EXPECT_TRUE(detail::alike_sockets(cluster, 0).empty());
  socket.memory = {};
  EXPECT_FALSE(detail::alike_sockets(cluster, 0).empty());
  std::ranges::find(cluster.cables, five[3].back(), &Cable::b)->bandwidth = 3_GBps;
  EXPECT_TRUE(detail::alike_sockets(cluster, 0).empty());
}

/// Six sockets with a GPU and a NIC each.
ClusterSpec six_sockets() {
  ClusterSpec spec = machines::cluster_of(machines::least(), 1);
  spec.node_types.front().sockets.front().count = 6;
  spec.node_types.front().socket_cable = machines::cable("upi-16", 22);
  return spec;
}

std::size_t sockets_alike(const ClusterSpec& spec) {
  return detail::alike_sockets(build_cluster(spec), 0).size();
}

TEST(AlikeSockets, HaveTheSameCablesToTheFabric) {
  ClusterSpec spec = six_sockets();
  spec.single_switch = SingleSwitchSpec{6, machines::fdr()};
  EXPECT_EQ(sockets_alike(spec), 6U);
  spec.single_switch.reset();
  spec.explicit_fabric = ExplicitFabricSpec{{"s"}, {{"node0.nic0", "s", machines::fdr()}}};
  EXPECT_EQ(sockets_alike(spec), 0U);
}

// A picture would show the link as one within each socket.
TEST(AlikeSockets, AreNotJoinedByTheirDevices) {
  ClusterSpec spec = six_sockets();
  spec.node_types.front().nvlinks = {{0, 1, 2, machines::cable("nvlink-3.0", 22)}};
  EXPECT_EQ(sockets_alike(spec), 0U);

  spec = six_sockets();
  spec.explicit_fabric = ExplicitFabricSpec{{}, {{"node0.nic0", "node0.nic1", machines::fdr()}}};
  EXPECT_EQ(sockets_alike(spec), 0U);
  const std::string text = text_tree(Topology{build_cluster(spec)});
  EXPECT_NE(text.find("└─ between NICs\n   └─ node0.nic0 - node0.nic1  6 GB/s infiniband-fdr-4x\n"),
            std::string::npos)
      << text;
}

// GPUs below a switch and beside it: their numbers are not in the order of the levels.
TEST(AlikeSockets, NameTheirDevicesInOrder) {
  ClusterSpec spec = machines::cluster_of(
      {"two levels",
       {machines::socket({machines::switches(1, {machines::gpus(1)}), machines::gpus(1)})},
       machines::cable("upi-16", 22),
       {},
       std::nullopt},
      1);
  spec.node_types.front().sockets.front().count = 5;
  const std::string text = text_tree(Topology{build_cluster(spec)});
  EXPECT_NE(text.find("4 cpus, each as node0.socket0: node0.gpu2 .. node0.gpu9\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace ringcast
