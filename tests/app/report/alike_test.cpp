#include "app/report/alike.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

TEST(SocketMesh, HasCablesOfOneRate) {
  NodeTypeSpec type = machines::least();
  type.sockets.front().count = 4;
  type.socket_cable = machines::cable("upi-16", 22);
  Cluster cluster = build_cluster(machines::cluster_of(type, 1));
  EXPECT_EQ(detail::socket_mesh(cluster, 0).text,
            "node0.socket0 .. node0.socket3  22 GB/s upi-16 between each two");

  std::ranges::find(cluster.cables, "upi-16", &Cable::link_class)->bandwidth = 11_GBps;
  EXPECT_EQ(detail::socket_mesh(cluster, 0).text, "");
}

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

TEST(AlikeNodes, HaveTypesThatAreKnown) {
  const Cluster cluster{"pair", {{"a", VertexKind::gpu, 0}, {"b", VertexKind::gpu, 1}}, {}};
  EXPECT_EQ(detail::alike_nodes(cluster).size(), 2U);
}

TEST(InShort, NamesRunsByTheirEnds) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(detail::in_short(Names{"leaf0", "leaf1", "leaf2"}), "leaf0 .. leaf2");
  EXPECT_EQ(detail::in_short(Names{"leaf0", "leaf1"}), "leaf0, leaf1");
  EXPECT_EQ(detail::in_short(Names{"node1.nic3", "node2.nic3", "node3.nic3"}),
            "node1.nic3 .. node3.nic3");
  EXPECT_EQ(detail::in_short(Names{"a9", "a10", "a11", "b"}), "a9 .. a11, b");
  EXPECT_EQ(detail::in_short(Names{"n0c0", "n0c1", "n0c2", "n1c2"}), "n0c0 .. n0c2, n1c2");
  EXPECT_EQ(detail::in_short(Names{"a", "c", "e", "g", "i"}), "a, c, ..., i");
  EXPECT_EQ(detail::in_short(Names{}), "");
}

}  // namespace
}  // namespace ringcast
