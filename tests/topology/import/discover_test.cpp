#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "app/config/cluster/cluster_doubts.hpp"
#include "app/config/cluster/cluster_reader.hpp"
#include "app/config/cluster/cluster_text.hpp"
#include "app/config/yaml/yaml_reader.hpp"
#include "app/report/hardware_json.hpp"
#include "engine/numbers/error.hpp"
#include "topology/import/node_types.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast {
namespace {

constexpr BytesPerSecond gen3{15.753846e9};

HardwareDevice gpu(const std::string& address) {
  return {VertexKind::gpu, address, "cuda" + address, "Tesla V100", gen3};
}

HardwareDevice nic(const std::string& address, BytesPerSecond rate = 100_Gbps) {
  HardwareDevice some{VertexKind::nic, address, "mlx" + address, "ConnectX", gen3};
  some.ports = 1;
  some.port_rate = rate;
  some.infiniband = true;
  return some;
}

/// Two sockets, of which the first has a switch with two GPUs and a NIC.
HostHardware host(const std::string& name) {
  HardwareDevice pcie_switch{VertexKind::pcie_switch, "2", "", "PLX", gen3};
  pcie_switch.devices = {gpu("4"), gpu("5"), nic("6")};
  HardwareSocket first{"Xeon", "host-intel-skylake", 8, 1, 32_GiB, {{{pcie_switch}}}};
  HardwareSocket second{"Xeon", "host-intel-skylake", 8, 1, 32_GiB, {}};
  HostHardware some;
  some.host = name;
  some.source = "hwloc 2.9.0";
  some.sockets = {first, second};
  return some;
}

HostHardware without_gpus(const std::string& name) {
  HostHardware some = host(name);
  some.sockets[0].root_complexes.clear();
  return some;
}

HardwareDevice& nic_of(HostHardware& some) {
  return some.sockets[0].root_complexes[0].devices[0].devices[2];
}

ClusterSpec cluster_of(const std::vector<HostHardware>& hosts) {
  return read_cluster(yaml_of("node.yaml", cluster_text(merge_hosts(hosts))));
}

std::vector<std::string> names_of(const DiscoveredNodes& nodes) {
  std::vector<std::string> names;
  for (const DiscoveredType& type : nodes.types) {
    names.push_back(type.name);
  }
  return names;
}

TEST(MergeHosts, CountsEqualHosts) {
  HostHardware other = host("n1");
  nic_of(other).name = "mlx5_7";
  other.sockets[0].memory = Bytes{(32_GiB).count() - (1U << 20U)};

  const DiscoveredNodes nodes = merge_hosts({host("n0"), other});

  EXPECT_EQ(names_of(nodes), (std::vector<std::string>{"node"}));
  EXPECT_EQ(nodes.types[0].hosts, (std::vector<std::string>{"n0", "n1"}));
  EXPECT_EQ(nodes.type_of, (std::vector<std::size_t>{0, 0}));
}

TEST(MergeHosts, NamesTypesByTheirDifferences) {
  HostHardware slow = host("n1");
  nic_of(slow).port_rate = 56_Gbps;
  HostHardware large = host("n2");
  large.sockets[1].memory = 64_GiB;
  HostHardware narrow = host("n3");
  narrow.sockets[0].root_complexes[0].devices[0].devices[0].link = BytesPerSecond{7.876923e9};

  EXPECT_EQ(names_of(merge_hosts({host("n0"), without_gpus("n1")})),
            (std::vector<std::string>{"node-2gpu", "node-0gpu"}));
  EXPECT_EQ(names_of(merge_hosts({host("n0"), slow})),
            (std::vector<std::string>{"node-infiniband-edr-4x", "node-infiniband-fdr-4x"}));
  EXPECT_EQ(names_of(merge_hosts({host("n0"), large})),
            (std::vector<std::string>{"node-64GiB", "node-96GiB"}));
  EXPECT_EQ(names_of(merge_hosts({host("n0"), narrow})),
            (std::vector<std::string>{"node-pcie-3.0-x16", "node-pcie-3.0-x8"}));
  // What no part of a name tells.
  HostHardware crossed = host("n4");
  std::swap(crossed.sockets[0], crossed.sockets[1]);
  EXPECT_EQ(names_of(merge_hosts({host("n0"), crossed})),
            (std::vector<std::string>{"node-type0", "node-type1"}));
}

TEST(HardwareJson, IsReadBackAsItWas) {
  HostHardware before = host("n0");
  before.sockets[0].root_complexes[0].devices[0].link_class = "nvlink-c2c";
  before.nvlinks = {{0, 1, 50_GBps}};
  before.nvswitch = 150_GBps;
  before.remarks = {"a \"remark\""};

  const HostHardware after = host_from_json(to_json(before));

  EXPECT_TRUE(alike(before, after));
  EXPECT_EQ(to_json(after), to_json(before));
  EXPECT_THROW((void)host_from_json("{"), ContractViolation);
  EXPECT_THROW((void)host_from_json("{}"), ContractViolation);
}

// 2 hosts of 2 GPUs; a ring of 4 ranks crosses the network.
TEST(DiscoveredCluster, IsReadAsItIs) {
  const ClusterSpec spec = cluster_of({host("n0"), host("n1")});
  const Topology topology{build_cluster(spec)};

  EXPECT_EQ(topology.ranks(), 4);
  ASSERT_EQ(spec.node_types.size(), 1U);
  EXPECT_EQ(spec.node_types[0].sockets.size(), 2U);
  EXPECT_EQ(spec.node_types[0].socket_cable->bandwidth, 10_GBps);  // host-intel-skylake
  ASSERT_TRUE(spec.single_switch);
  EXPECT_EQ(spec.single_switch->cable.link_class, "infiniband-edr-4x");
  EXPECT_EQ(spec.nodes[0].count, 2);
}

TEST(DiscoveredCluster, KeepsTheOrderOfTheHosts) {
  HostHardware slow = host("n1");
  nic_of(slow).port_rate = 56_Gbps;

  const ClusterSpec spec = cluster_of({host("n0"), slow, host("n2"), host("n3")});

  ASSERT_EQ(spec.nodes.size(), 3U);
  EXPECT_EQ(spec.nodes[0].type, spec.nodes[2].type);
  EXPECT_EQ(spec.nodes[2].count, 2);
  // One fabric for all: the slowest NIC's.
  EXPECT_EQ(spec.single_switch->cable.link_class, "infiniband-fdr-4x");
}

// A NIC whose rate differs within its host keeps it.
TEST(DiscoveredCluster, JoinsUnequalNicsByCablesOfTheirOwn) {
  HostHardware mixed = host("n1");
  mixed.sockets[0].root_complexes[0].devices.push_back(nic("7", 56_Gbps));

  const ClusterSpec spec = cluster_of({without_gpus("login"), host("n0"), mixed});

  EXPECT_FALSE(spec.single_switch);
  const auto& cables = spec.explicit_fabric.value().cables;
  ASSERT_EQ(cables.size(), 3U);
  EXPECT_EQ(cables[0].from, "n0.nic0");
  EXPECT_EQ(cables[1].from, "n1.nic0");
  EXPECT_EQ(cables[1].cable.link_class, "infiniband-edr-4x");
  EXPECT_EQ(cables[2].from, "n1.nic1");
  EXPECT_EQ(cables[2].to, "switch0");
  EXPECT_EQ(cables[2].cable.link_class, "infiniband-fdr-4x");
  EXPECT_EQ(Topology{build_cluster(spec)}.ranks(), 4);
}

TEST(DiscoveredCluster, LeavesOutHostsWithoutGpusWhereOthersHaveSome) {
  const std::string text = cluster_text(merge_hosts({without_gpus("login"), host("n0")}));

  EXPECT_NE(text.find("# note: hosts without GPUs are left out: login\n"), std::string::npos);
  EXPECT_EQ(Topology{build_cluster(cluster_of({without_gpus("login"), host("n0")}))}.ranks(), 2);
}

TEST(DiscoveredCluster, TakesCoresForRanksWhereThereIsNoGpu) {
  const ClusterSpec one = cluster_of({without_gpus("n0")});
  const ClusterSpec two = cluster_of({without_gpus("n0"), without_gpus("n1")});

  EXPECT_EQ(Topology{build_cluster(one)}.ranks(), 16);
  EXPECT_FALSE(one.single_switch);
  // No NIC was found, yet there must be one.
  EXPECT_EQ(Topology{build_cluster(two)}.ranks(), 32);
  ASSERT_TRUE(two.single_switch);
  // ethernet-10g: 10 Gb/s, of which 1448/1538 is payload.
  EXPECT_NEAR(two.single_switch->cable.bandwidth.value(), 1.25e9 * 1448 / 1538, 1);
}

TEST(DiscoveredCluster, KeepsNvlinks) {
  HostHardware linked = host("n0");
  linked.nvlinks = {{0, 1, 50_GBps}};
  HostHardware switched = host("n0");
  switched.nvswitch = 150_GBps;

  const ClusterSpec pair = cluster_of({linked});
  const ClusterSpec all = cluster_of({switched});

  ASSERT_EQ(pair.node_types[0].nvlinks.size(), 1U);
  EXPECT_EQ(pair.node_types[0].nvlinks[0].links, 2);
  ASSERT_TRUE(all.node_types[0].nvswitch);
  EXPECT_EQ(all.node_types[0].nvswitch->links_per_gpu, 6);
}

TEST(DiscoveredCluster, SaysWhichLinesToLookAt) {
  HostHardware doubtful = host("n0");
  doubtful.sockets[0].root_complexes[0].devices[0].devices[0].link = BytesPerSecond{0};
  doubtful.remarks = {"GPU 4: doubtful"};

  const std::vector<std::string> messages =
      messages_of(cluster_text(merge_hosts({doubtful})), "node.yaml");

  EXPECT_EQ(messages,
            (std::vector<std::string>{
                "node.yaml:8: sockets: host-intel-skylake is assumed: the class of this "
                "CPU; hwloc does not know what joins the sockets",
                "node.yaml:10: pcie: pcie-3.0-x16 is assumed: hwloc does not know how fast this "
                "PCIe link is",
                "node.yaml:13: note: GPU 4: doubtful"}));
}

// Without a NIC there would be no fabric. What it is taken for decides the prediction.
TEST(DiscoveredCluster, SaysThatItAddsANetworkNic) {
  HostHardware bare = host("n0");
  bare.sockets[0].root_complexes[0].devices[0].devices.pop_back();
  HostHardware other = bare;
  other.host = "n1";

  const std::string text = cluster_text(merge_hosts({bare, other}));
  const std::vector<std::string> messages = messages_of(text, "pair.yaml");

  const std::string all = fmt::format("{}", fmt::join(messages, "\n"));
  EXPECT_NE(all.find("network: ethernet-10g is assumed: nothing here knows the rate of its port "
                     "(--network of ringcast import names it)"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("note: no NIC was found: one is taken to be at the first socket"),
            std::string::npos)
      << all;
}

TEST(DiscoveredCluster, AddsANicThatIsAsFastAsTheGpus) {
  HostHardware bare = host("n0");
  bare.sockets[0].root_complexes[0].devices[0].devices.pop_back();
  HostHardware other = bare;
  other.host = "n1";
  constexpr BytesPerSecond gen5{63.015384e9};
  for (HostHardware* some : {&bare, &other}) {
    for_each_device_of(*some, [&](HardwareDevice& device) { device.link = gen5; });
  }

  const ClusterSpec cluster = cluster_of({bare, other});

  const std::vector<DeviceSpec>& devices =
      cluster.node_types[0].sockets[0].root_complexes[0].devices;
  EXPECT_EQ(devices.back().kind, VertexKind::nic);
  EXPECT_EQ(devices.back().cable.link_class, "pcie-5.0-x16");
}

TEST(DiscoveredCluster, SaysWhatAHostAloneDoesNotUse) {
  HostHardware alone = host("n0");
  alone.port_class = "ethernet-100g";
  const std::string given = "there is one node: --network ethernet-100g is not used";
  DiscoveredNodes nodes = merge_hosts({alone});
  EXPECT_NE(cluster_text(nodes).find("# note: " + given), std::string::npos);
  nodes.fabric = DiscoveredFabric{{"s0"}, {}, {"a doubt"}};
  EXPECT_NE(cluster_text(nodes).find(
                "# note: a doubt\n# note: there is one host: its network is left out\nnodes:"),
            std::string::npos);

  HostHardware other = alone;
  other.host = "n1";
  EXPECT_EQ(cluster_text(merge_hosts({alone, other})).find(given), std::string::npos);
}

TEST(DiscoveredCluster, NamesTheModelThatAllGpusHave) {
  EXPECT_EQ(cluster_of({host("n0")}).node_types[0].gpu, "Tesla V100");

  const auto with_second = [](const std::string& model) {
    HostHardware some = host("n0");
    some.sockets[0].root_complexes[0].devices[0].devices[1].model = model;
    return cluster_of({some}).node_types[0].gpu;
  };
  EXPECT_EQ(with_second("Tesla V100S"), "Tesla V100S");
  EXPECT_EQ(with_second("Tesla T4"), "");
  EXPECT_EQ(with_second("Rubin"), "");
}

// A name of a device may be in a remark; a line of its own would be YAML.
TEST(DiscoveredCluster, KeepsRemarksInOneLine) {
  HostHardware doubtful = host("n0");
  doubtful.remarks = {"net \x1b[31m\nname: other"};

  const std::string text = cluster_text(merge_hosts({doubtful}));

  EXPECT_NE(text.find("# note: net \\x1b[31m\\x0aname: other\n"), std::string::npos);
}

TEST(DiscoveredCluster, QuotesWhatAHostCallsItself) {
  const ClusterSpec spec = cluster_of({host("a\"b\\c: #d")});

  EXPECT_EQ(spec.name, "a\"b\\c: #d");
}

}  // namespace
}  // namespace ringcast
