#include <algorithm>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/links/link_class.hpp"
#include "topology/nccl/nccl_tuner.hpp"
#include "topology/rings/channel_rings.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

/// The machine of one node of eight GPUs.
NcclMachine machine_of(const NodeTypeSpec& type, const TransportProfile& profile = {}) {
  const Topology topology{build_cluster(machines::cluster_of(type, 1))};
  const TransferPaths paths{topology, profile, places_of_ranks(topology, 8, {})};
  return nccl_machine(paths, channel_rings(paths));
}

/// A cube mesh of eight GPUs with links of this class.
NodeTypeSpec mesh_of(const std::string& link_class) {
  NodeTypeSpec mesh = machines::dgx1();
  for (NvlinkSpec& nvlink : mesh.nvlinks) {
    nvlink.cable.base_class = link_class;
  }
  return mesh;
}

// A cube mesh of V100: six rings of 20 GB/s; its NVLinks are of the second generation.
TEST(NcclMachine, IsReadFromTheTopology) {
  const NcclMachine machine = machine_of(mesh_of("nvlink-2.0"));
  EXPECT_EQ(machine.nodes, 1);
  EXPECT_EQ(machine.ranks, 8);
  EXPECT_EQ(machine.gpus.generation, GpuGeneration::volta);
  EXPECT_TRUE(machine.nvlink && !machine.switch_sums);
  EXPECT_NEAR(machine.in_node.value(), 120e9, 1);
  EXPECT_EQ(machine.search.rings, 6);
  EXPECT_FALSE(machine.xgmi_mesh || machine.past_root > 0);
  const TransportProfile set{.channel_buffer = 8_MiB, .least_channels = 64};
  EXPECT_EQ(machine_of(mesh_of("nvlink-2.0"), set).limits.channel_buffer, 8_MiB);
  EXPECT_EQ(machine_of(mesh_of("nvlink-2.0"), set).channels(), 64);
}

// NCCL sets in-switch sums up for more than two GPUs of a node, in releases and profiles that have
// them.
TEST(NcclMachine, KnowsWhetherNcclSetsSumsUp) {
  NodeTypeSpec type = machines::eight_rails();
  type.nvswitch->cable.base_class = "nvlink-4.0";
  TransportProfile profile;
  EXPECT_FALSE(machine_of(type, profile).nvls);
  profile.protocols = {{.algorithm = "in-switch", .name = "Simple"}};
  EXPECT_TRUE(machine_of(type, profile).nvls);
  profile.nccl_version = {2, 16};
  EXPECT_FALSE(machine_of(type, profile).nvls);
}

// NVSwitches of V100 and A100 add nothing.
TEST(NcclMachine, TellsEarlyNvswitchesFromThoseThatAdd) {
  const auto machine_with = [](const char* link) {
    NodeTypeSpec type = machines::eight_rails();
    type.nvswitch->cable.base_class = link;
    return machine_of(type);
  };
  EXPECT_TRUE(machine_with("nvlink-3.0").early_nvswitch);
  EXPECT_FALSE(machine_with("nvlink-3.0").switch_sums);
  EXPECT_FALSE(machine_with("nvlink-4.0").early_nvswitch);
  EXPECT_TRUE(machine_with("nvlink-4.0").switch_sums);
  EXPECT_FALSE(machine_of(mesh_of("nvlink-3.0")).early_nvswitch);
}

// RCCL has its programs for these GPUs, which their links tell.
TEST(NcclMachine, KnowsMi300AndLaterByTheirLinks) {
  EXPECT_TRUE(machine_of(mesh_of("xgmi-mi250x")).gpus.mi250);
  EXPECT_TRUE(machine_of(mesh_of("xgmi-mi355x")).gpus.mi350);
  EXPECT_FALSE(machine_of(mesh_of("xgmi-mi300x")).gpus.mi350);
  const auto is_mesh = [](const char* link) { return machine_of(mesh_of(link)).xgmi_mesh; };
  EXPECT_TRUE(is_mesh("xgmi-mi300a") && is_mesh("xgmi-mi300x") && is_mesh("xgmi-mi355x"));
  EXPECT_FALSE(is_mesh("xgmi-mi250x"));
}

TEST(NcclMachine, KnowsPascalByItsNvlinksOrItsModel) {
  EXPECT_TRUE(machine_of(mesh_of("nvlink-1.0")).gpus.pascal);
  NodeTypeSpec mesh = mesh_of("nvlink-2.0");
  EXPECT_FALSE(machine_of(mesh).gpus.pascal);
  mesh.gpu = "GTX 1070";
  EXPECT_TRUE(machine_of(mesh).gpus.pascal);
}

// Eight GPUs, two below each of four switches: every second hop of the ring passes root complexes;
// staged, all do.
TEST(NcclMachine, CountsHopsPastRootComplexes) {
  const auto past_root = [](std::optional<PathLevel> p2p) {
    TransportProfile profile;
    profile.p2p = p2p;
    return machine_of(machines::dual_root(), profile).past_root;
  };
  EXPECT_EQ(past_root(PathLevel::sys), 0.5);
  EXPECT_EQ(past_root(std::nullopt), 1);
}

// The same with P2P below switches only: every second hop is staged.
TEST(NcclMachine, TellsTheKindsOfHopsApart) {
  TransportProfile profile;
  profile.p2p = PathLevel::pxb;
  EXPECT_EQ(machine_of(machines::dual_root(), profile).hops,
            (std::map<PathKind, double>{{PathKind::p2p, 0.5}, {PathKind::staged, 0.5}}));
}

// 8 A100 on NVSwitches of 240 GB/s: six rings of 40 GB/s, halved. 12 channels of 30 GB/s on H100
// and 16 of 45 GB/s on B200 come from six and eight rings likewise.
TEST(NcclMachine, SplitsARingThroughSwitches) {
  const auto rings_of = [](const char* link, double rate) {
    NodeTypeSpec type = machines::eight_rails();
    type.nvswitch = NvswitchSpec{1, machines::cable(link, rate)};
    type.nvswitch->cable.base_class = link;
    const Topology topology{build_cluster(machines::cluster_of(type, 1))};
    const TransferPaths paths{topology, {}, places_of_ranks(topology, 8, {})};
    return nccl_machine(paths, channel_rings(paths)).search.rings;
  };
  EXPECT_EQ(rings_of("nvlink-3.0", 240), 12);
  EXPECT_EQ(rings_of("nvlink-4.0", 371), 12);
  EXPECT_EQ(rings_of("nvlink-5.0", 722), 16);
  EXPECT_EQ(rings_of("nvlink-6.0", 1123), 24);  // 12 of 90 GB/s
}

// A node of P100, which has no LL128, beside one of V100: nothing is asked of a node without ranks.
TEST(NcclMachine, IsOfTheNodesOfTheJob) {
  NodeTypeSpec idle = mesh_of("nvlink-1.0");
  idle.name = "idle";
  ClusterSpec spec = machines::cluster_of(mesh_of("nvlink-2.0"), 1);
  spec.node_types.push_back(idle);
  spec.nodes.push_back({idle.name, 1});
  spec.single_switch = SingleSwitchSpec{1, machines::cable("own", 50)};
  const Topology topology{build_cluster(spec)};
  const auto is_pascal = [&](int ranks) {
    const TransferPaths paths{topology, {}, places_of_ranks(topology, ranks, {})};
    return nccl_machine(paths, channel_rings(paths)).gpus.pascal;
  };
  EXPECT_FALSE(is_pascal(8));
  EXPECT_TRUE(is_pascal(16));
}

// In whatever order the nodes are, the least GPU decides, and one node without sums in switches,
// for want of a switch or of a second GPU in the job, leaves the others without them.
TEST(NcclMachine, IsWhatItsWeakestNodeAllows) {
  const auto node_of = [](const char* nvlink) {
    NodeTypeSpec type = machines::eight_rails();
    type.name = nvlink;
    type.nvswitch = NvswitchSpec{1, machines::cable(nvlink, 300)};
    type.nvswitch->cable.base_class = nvlink;
    return type;
  };
  const auto machine_of_types = [](const NodeTypeSpec& first, const NodeTypeSpec& second,
                                   int ranks) {
    ClusterSpec spec = machines::cluster_of(first, 1);
    spec.node_types.push_back(second);
    spec.nodes.push_back({second.name, 1});
    spec.single_switch = SingleSwitchSpec{1, machines::cable("own", 50)};
    const Topology topology{build_cluster(spec)};
    const TransferPaths paths{topology, {}, places_of_ranks(topology, ranks, {})};
    return nccl_machine(paths, channel_rings(paths));
  };
  const NodeTypeSpec h100 = node_of("nvlink-4.0");
  NodeTypeSpec second = h100;
  second.name = "second";
  EXPECT_TRUE(machine_of_types(h100, second, 16).switch_sums);
  EXPECT_FALSE(machine_of_types(h100, second, 9).switch_sums);
  second.nvswitch = NvswitchSpec{1, machines::cable("nvlink-4.0", 200)};
  second.nvswitch->cable.base_class = "nvlink-4.0";
  EXPECT_NEAR(machine_of_types(h100, second, 16).switch_link.value(), 200e9, 1);
  Cluster degraded = build_cluster(machines::cluster_of(h100, 1));
  std::ranges::find(degraded.cables, "nvlink-4.0", &Cable::base_class)->bandwidth = 7_GBps;
  const Topology topology{std::move(degraded)};
  const TransferPaths paths{topology, {}, places_of_ranks(topology, 8, {})};
  EXPECT_EQ(nccl_machine(paths, channel_rings(paths)).switch_link, 7_GBps);
  second.nvswitch = {};
  EXPECT_FALSE(machine_of_types(h100, second, 16).switch_sums);
  const NodeTypeSpec a100 = node_of("nvlink-3.0");
  for (const auto& [first, other] : {std::pair{h100, a100}, std::pair{a100, h100}}) {
    const NcclMachine machine = machine_of_types(first, other, 16);
    EXPECT_EQ(machine.gpus.generation, GpuGeneration::ampere);
    EXPECT_FALSE(machine.switch_sums);
  }
}

// NCCL has one vendor for a job, that of all hosts or a mixture, whichever node is first.
TEST(NcclMachine, KnowsMixedHostsInAnyOrder) {
  for (const bool amd_first : {true, false}) {
    NodeTypeSpec first = machines::eight_rails();
    NodeTypeSpec second = first;
    second.name = "second";
    (amd_first ? first : second).amd = true;
    ClusterSpec spec = machines::cluster_of(first, 1);
    spec.node_types.push_back(second);
    spec.nodes.push_back({second.name, 1});
    spec.single_switch = SingleSwitchSpec{1, machines::cable("own", 50)};
    const Topology topology{build_cluster(spec)};
    const auto machine_of_ranks = [&](int ranks) {
      const TransferPaths paths{topology, {}, places_of_ranks(topology, ranks, {})};
      return nccl_machine(paths, channel_rings(paths));
    };
    EXPECT_FALSE(machine_of_ranks(16).hosts.amd);
    EXPECT_TRUE(machine_of_ranks(16).hosts.mixed);
    EXPECT_EQ(machine_of_ranks(8).hosts.amd, amd_first);
    EXPECT_FALSE(machine_of_ranks(8).hosts.mixed);
  }
}

// H100 with NICs of 50 GB/s: NCCL's search has 48 between nodes at most, and halves from 50 on.
TEST(NcclMachine, TakesNoRingFasterThanItsSearchKnows) {
  NodeTypeSpec type = machines::eight_rails();
  type.nvswitch = NvswitchSpec{1, machines::cable("nvlink-4.0", 450)};
  type.nvswitch->cable.base_class = "nvlink-4.0";
  for (SocketSpec& socket : type.sockets) {
    for (DeviceSpec& device : socket.root_complexes.front().devices) {
      for (DeviceSpec& below : device.devices)
        below.cable = machines::cable("pcie-5.0-x16", 55);
    }
  }
  ClusterSpec spec = machines::cluster_of(type, 2);
  spec.single_switch = SingleSwitchSpec{1, machines::cable("own", 50)};
  const Topology topology{build_cluster(spec)};
  const TransferPaths paths{topology, {}, places_of_ranks(topology, 16, {})};
  const NcclMachine machine = nccl_machine(paths, channel_rings(paths));

  EXPECT_NEAR(machine.between.value(), 8 * 50e9, 1e6);
  EXPECT_EQ(machine.search.rings, 8);
}

// Two nodes of eight GPUs with a NIC of their own each. NCCL takes HDR at 25 GB/s x 12/12.5,
// Slingshot likewise, whatever its plugin reaches. Two ports for each GPU are one device
// since 2.20, and make two rings before; over EFA they are one anyway.
TEST(NcclMachine, TakesNetworksAtTheirLineRate) {
  const auto machine_of = [](const char* link, double rate, int nics,
                             NcclVersion version = newest_nccl) {
    NodeTypeSpec type = machines::eight_rails();
    type.nvswitch = NvswitchSpec{12, machines::cable("nvlink-3.0", 20)};
    for (SocketSpec& socket : type.sockets) {
      for (DeviceSpec& device : socket.root_complexes.front().devices) {
        for (DeviceSpec& below : device.devices) {
          below.cable = machines::cable("pcie-4.0-x16", 50);
          if (below.kind == VertexKind::nic) below.count = nics;
        }
      }
    }
    ClusterSpec spec = machines::cluster_of(type, 2);
    spec.single_switch = SingleSwitchSpec{1, machines::cable(link, rate)};
    spec.single_switch->cable.base_class = link;
    const Topology topology{build_cluster(spec)};
    TransportProfile profile;
    profile.nccl_version = version;
    const TransferPaths paths{topology, profile, places_of_ranks(topology, 16, {})};
    return nccl_machine(paths, channel_rings(paths));
  };
  const NcclMachine hdr = machine_of("infiniband-hdr-4x", 24, 1);
  EXPECT_EQ(hdr.search.rings, 8);
  EXPECT_NEAR(hdr.between.value(), 8 * 24e9, 1e6);
  const LinkClass& slingshot = *find_link_class("slingshot-11");
  const NcclMachine slow = machine_of("slingshot-11", slingshot.achievable.value() / 1e9, 1);
  EXPECT_NEAR(slow.between.value(), 8 * 24e9, 1e6);
  EXPECT_EQ(hdr.nics, 8);
  const double roce = 100.0 / 8 * 1448 / 1538;
  EXPECT_EQ(machine_of("ethernet-100g", roce, 2).search.rings, 8);
  EXPECT_EQ(machine_of("ethernet-100g", roce, 2, {2, 19}).search.rings, 16);
  EXPECT_EQ(
      machine_of("efa-100g", find_link_class("efa-100g")->achievable.value() / 1e9, 2, {2, 19})
          .search.rings,
      8);
  EXPECT_EQ(hdr.reported_latency, Seconds{0});
  EXPECT_EQ(machine_of("efa-100g", 12, 1).reported_latency, Seconds{75e-6});
  EXPECT_EQ(hdr.limits.channel_buffer, 4_MiB);
  EXPECT_EQ(machine_of("tcpxo-200g", 23, 1).limits.channel_buffer, 8_MiB);
}

// Eight GPUs, two below each of four switches with a NIC: four rings leave a node at four GPUs. A
// node of four GPUs with two NICs beside it has two.
TEST(NcclMachine, CountsTheHeadsOfTheNodeWithFewestNics) {
  const auto node_of = [](int switches_per_socket) {
    NodeTypeSpec type = machines::eight_rails();
    for (SocketSpec& socket : type.sockets)
      socket = machines::socket(
          {machines::switches(switches_per_socket, {machines::gpus(2), machines::nics(1)})});
    return type;
  };
  const auto heads_of = [](const ClusterSpec& spec, int ranks) {
    const Topology topology{build_cluster(spec)};
    const TransferPaths paths{topology, {}, places_of_ranks(topology, ranks, {})};
    return nccl_machine(paths, channel_rings(paths)).heads();
  };
  ClusterSpec spec = machines::on_one_switch(node_of(2), 2);
  EXPECT_EQ(heads_of(spec, 16), 4);
  spec.node_types.push_back(node_of(1));
  spec.node_types.back().name = "half";
  spec.nodes = {{spec.node_types.front().name, 1}, {"half", 1}};
  EXPECT_EQ(heads_of(spec, 12), 2);
}

}  // namespace
}  // namespace ringcast
