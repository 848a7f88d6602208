#include "topology/nccl/pcie_loads.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

/// Loads of the first node of a cluster by the ring 0, 1, 2, ...
class FirstNode {
 public:
  explicit FirstNode(const ClusterSpec& spec, NcclMachine machine = {},
                     const TransportProfile& profile = {})
      : topology_{build_cluster(spec)},
        paths_{topology_, profile, places_of_ranks(topology_, topology_.ranks(), {})},
        machine_{std::move(machine)},
        ring_{ranks(topology_.ranks())},
        node_{detail::job_nodes(paths_).front()} {
    machine_.ranks = topology_.ranks();
    machine_.nodes = spec.nodes.front().count;
  }

  [[nodiscard]] detail::NodeLoads loads() const { return {paths_, machine_, node_}; }
  [[nodiscard]] const RingOrder& ring() const { return ring_; }
  [[nodiscard]] double between_sockets(const detail::ChannelLoad& load) const {
    const auto is_cpu = [&](int end) {
      return topology_.cluster().vertices[static_cast<std::size_t>(end)].kind == VertexKind::cpu;
    };
    double sum = 0;
    for (const auto& [link, share] : load) {
      if (is_cpu(topology_.begin_of(link)) && is_cpu(topology_.end_of(link))) sum += share;
    }
    return sum;
  }

 private:
  static std::vector<Rank> ranks(int count) {
    std::vector<Rank> all;
    for (int rank = 0; rank < count; ++rank)
      all.push_back(Rank{rank});
    return all;
  }

  Topology topology_;
  TransferPaths paths_;
  NcclMachine machine_;
  RingOrder ring_;
  detail::JobNode node_;
};

/// Two sockets of two GPUs; the NIC is on the first.
NodeTypeSpec pairs_at_sockets() {
  NodeTypeSpec type{"two-sockets",
                    {machines::socket({machines::gpus(2), machines::nics(1)}),
                     machines::socket({machines::gpus(2)})},
                    machines::qpi(),
                    {},
                    std::nullopt};
  for (SocketSpec& socket : type.sockets) {
    for (DeviceSpec& device : socket.root_complexes.front().devices)
      device.cable.base_class = "pcie-3.0-x16";
  }
  return type;
}

// The ring 0, 1 | 2, 3 crosses twice; a chain that begins after a crossing has one of them left.
TEST(NodeLoads, BeginAChainAfterTheLongestHop) {
  const FirstNode node{machines::cluster_of(pairs_at_sockets(), 1)};
  EXPECT_EQ(node.between_sockets(node.loads().ring_through(node.ring())), 2);
  EXPECT_EQ(node.between_sockets(node.loads().tree_through(node.ring(), false, false).chain), 1);
}

// Between nodes the chain's one crossing counts in both directions on AMD's sockets, and no other
// link does.
TEST(NodeLoads, CrossSocketsOfAmdBothWays) {
  const ClusterSpec spec = machines::on_one_switch(pairs_at_sockets(), 2);
  const auto chain_of = [&](bool amd) {
    NcclMachine machine;
    machine.hosts.amd = amd;
    const FirstNode node{spec, machine};
    const detail::ChannelLoad chain = node.loads().tree_through(node.ring(), false, false).chain;
    return std::pair{node.between_sockets(chain), chain.size()};
  };
  const auto [intels, links] = chain_of(false);
  EXPECT_EQ(intels, 1);
  EXPECT_EQ(chain_of(true), std::pair(2.0, links + 1));
}

// One GPU and its NIC at an Intel processor, in each of two nodes: what leaves counts 6/5 on two
// PCIe links, what arrives 1 on two others, and the NIC's cable 1 each way. The other node's
// links do not count. A V100 also answers an eighth of what arrives, on its own link. Grace sends
// no small packets.
TEST(NodeLoads, CountSmallPacketsWhereTheyAreSent) {
  NodeTypeSpec type = machines::least();
  for (DeviceSpec& device : type.sockets.front().root_complexes.front().devices)
    device.cable.base_class = "pcie-3.0-x16";
  const auto loads_of = [&](const NcclMachine& machine) {
    const FirstNode node{machines::on_one_switch(type, 2), machine};
    std::vector<double> loads;
    for (const auto& [link, load] : node.loads().ring_through(node.ring()))
      loads.push_back(load);
    std::ranges::sort(loads);
    return loads;
  };
  NcclMachine machine;
  machine.gpus.generation = GpuGeneration::ampere;
  EXPECT_EQ(loads_of(machine), (std::vector{1.0, 1.0, 1.0, 1.0, 1.2, 1.2}));
  machine.hosts.grace = true;
  EXPECT_EQ(loads_of(machine), std::vector(6, 1.0));
  machine.hosts.grace = false;
  machine.gpus.generation = GpuGeneration::volta;
  EXPECT_EQ(loads_of(machine), (std::vector{1.0, 1.0, 1.0, 1.0, 1.2, 1.2 + 0.125}));
}

// Three GPUs in a chain of bridges and one beside them are one group; two pairs are two.
TEST(NodeLoads, CountGroupsOfNeighboursOnNvlinks) {
  const auto groups_of = [](std::vector<std::pair<int, int>> bridges) {
    NodeTypeSpec type = pairs_at_sockets();
    for (const auto& [a, b] : bridges)
      type.nvlinks.push_back({a, b, 1, machines::cable("nvlink-3.0", 20)});
    const FirstNode node{machines::cluster_of(type, 1)};
    return node.loads().nvlink_groups(node.ring());
  };
  EXPECT_EQ(groups_of({{0, 1}, {1, 2}}), 1);
  EXPECT_EQ(groups_of({{0, 1}, {2, 3}}), 2);
  EXPECT_EQ(groups_of({}), 0);
}

// Two GPUs on one PCIe switch with one NIC, which are two nodes: NCCL counts what the first sends
// and receives itself, once on each of three cables each way, not what the other GPU has at the
// NIC.
TEST(NodeLoads, AreThoseOfOneGpuWithoutP2pAndShm) {
  const NodeTypeSpec pair{
      "pair",
      {machines::socket({machines::switches(1, {machines::gpus(2), machines::nics(1)})})},
      std::nullopt,
      {},
      std::nullopt};
  const FirstNode node{machines::on_one_switch(pair, 2), {}, {.p2p = std::nullopt, .shm = false}};
  const detail::ChannelLoad load = node.loads().ring_through(node.ring());
  EXPECT_EQ(load.size(), 6U);
  for (const auto& [link, share] : load)
    EXPECT_EQ(share, 1);
}

}  // namespace
}  // namespace ringcast
