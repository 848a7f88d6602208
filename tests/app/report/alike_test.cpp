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
