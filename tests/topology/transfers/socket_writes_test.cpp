// Cable::peer_bandwidth of a link between sockets, and what NCCL expects of one.
#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "tests/topology/transfers/paths.hpp"
#include "topology/links/link_class.hpp"
#include "topology/transfers/nccl_links.hpp"

namespace ringcast {
namespace {

using namespace machines;
using testing::Names;
using testing::names_of;
using testing::paths_of;

/// Nodes of machines::dual_root(), whose GPUs 0 to 3 and 4 to 7 write 5 GB/s to each other.
Topology limited_writers(int nodes = 1) {
  NodeTypeSpec type = dual_root();
  for (SocketSpec& each : type.sockets)
    each.memory = BytesPerSecond{40e9};
  type.socket_cable->peer_bandwidth = BytesPerSecond{5e9};
  return Topology{build_cluster(on_one_switch(type, nodes))};
}

/// The links of a path that are no direction of a cable.
Names limits_of(const Topology& topology, const TransferPaths& paths, int from, int to) {
  Names limits = names_of(topology, paths.between(Rank{from}, Rank{to}).main);
  std::erase_if(limits, [](const std::string& name) { return name.find(", ") == name.npos; });
  return limits;
}

// GPUs that write at once each reach the rate that one has alone.
TEST(SocketWrites, OfPeersHaveALimitForEachWriter) {
  const Topology topology = limited_writers();
  const TransferPaths paths = paths_of(topology, {.p2p = PathLevel::sys});

  EXPECT_EQ(limits_of(topology, paths, 1, 4), Names{"node0.gpu1, writes across sockets"});
  EXPECT_EQ(limits_of(topology, paths, 3, 4), Names{"node0.gpu3, writes across sockets"});
  EXPECT_EQ(limits_of(topology, paths, 4, 1), Names{"node0.gpu4, writes across sockets"});
  EXPECT_EQ(limits_of(topology, paths, 1, 2), Names{});
  const TransferPath& path = paths.between(Rank{1}, Rank{4});
  EXPECT_EQ(path.time_per_byte, Seconds{1 / 5e9});
  EXPECT_EQ(topology.class_of(*topology.socket_writes_of(topology.vertex_of(Rank{1}))),
            "writes across sockets");
}

// NCCL's buffers are in the memory of the receiver's socket.
TEST(SocketWrites, OfKernelsHaveALimitForEachWriter) {
  const Topology topology = limited_writers();
  const TransferPaths paths = paths_of(topology, {.p2p = std::nullopt, .kernel_copies = true});

  EXPECT_EQ(limits_of(topology, paths, 1, 4),
            (Names{"node0.gpu1, writes across sockets", "node0.socket1, memory",
                   "node0.socket1, memory"}));
  EXPECT_EQ(limits_of(topology, paths, 1, 2),
            (Names{"node0.socket0, memory", "node0.socket0, memory"}));
}

// GPU 4 is at one socket, the only NIC at the other.
TEST(SocketWrites, OfANicHaveALimitToo) {
  const Topology topology = limited_writers(2);
  const TransferPaths paths = paths_of(topology, {.gdr = PathLevel::sys});

  EXPECT_EQ(limits_of(topology, paths, 4, 12),
            (Names{"node0.gpu4, writes across sockets", "node1.nic0, writes across sockets"}));
}

// A slower cable between two of three sockets limits nothing else.
TEST(SocketWrites, DoNotSlowDownWithOneCable) {
  NodeTypeSpec type{"node", {socket({gpus(1)})}, qpi(), {}, std::nullopt};
  type.sockets.front().count = 3;
  type.socket_cable->peer_bandwidth = BytesPerSecond{5e9};
  Cluster cluster = build_cluster(cluster_of(type, 1));
  const auto joins = [&](const Cable& cable) { return cluster.joins_sockets(cable); };
  std::ranges::find_if(cluster.cables, joins)->peer_bandwidth = BytesPerSecond{1e9};
  const Topology topology{cluster};

  const TransferPaths paths = paths_of(topology, {.p2p = PathLevel::sys});
  EXPECT_EQ(paths.between(Rank{0}, Rank{1}).time_per_byte, Seconds{1 / 5e9});
  EXPECT_EQ(paths.between(Rank{0}, Rank{2}).time_per_byte, Seconds{1 / 5e9});
}

TEST(SocketWrites, OfCopyEnginesHaveNoLimit) {
  const Topology topology = limited_writers();
  EXPECT_EQ(limits_of(topology, paths_of(topology, {.p2p = std::nullopt}), 1, 4),
            (Names{"node0.socket0, memory", "node0.socket0, memory"}));
}

/// GB/s that NCCL expects of a link between sockets.
double expected_rate(std::string_view link_class, NcclVersion version) {
  NodeTypeSpec type{"node", {socket({gpus(1)}), socket({gpus(1)})}, qpi(), {}, std::nullopt};
  type.socket_cable->link_class = link_class;
  type.socket_cable->base_class = link_class;
  const Topology topology{build_cluster(cluster_of(type, 1))};
  for (const LinkId link :
       topology.route_between(topology.vertex_of(Rank{0}), topology.vertex_of(Rank{1})).links) {
    if (topology.cluster().joins_sockets(topology.cable_of(link)))
      return detail::search_link_rate(topology, link, version) / 1e9;
  }
  return 0;
}

// src/graph/topo.h: AMD_BW until 2.27; then AMD_ZEN12_BW, AMD_ZEN34_BW and AMD_ZEN5_BW. ARM_BW.
TEST(SocketLinks, HaveTheRatesOfNcclsRelease) {
  EXPECT_EQ(expected_rate("host-amd-zen4", {2, 27}), 16);
  EXPECT_EQ(expected_rate("xgmi-3", {2, 27}), 16);
  EXPECT_EQ(expected_rate("xgmi-3", {2, 28}), 24);
  EXPECT_EQ(expected_rate("host-amd-zen2", {2, 28}), 16);
  EXPECT_EQ(expected_rate("host-amd-zen4", {2, 28}), 24);
  EXPECT_EQ(expected_rate("host-amd-zen5", {2, 28}), 32);
  EXPECT_EQ(expected_rate("cnvlink", {2, 28}), 6);
}

}  // namespace
}  // namespace ringcast
