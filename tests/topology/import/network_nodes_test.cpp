#include "topology/import/network_nodes.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/import/tray.hpp"

namespace ringcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Two hosts at a switch; the rate of the second host's cable is `rate`.
IbNetwork pair_at_a_switch(const std::string& rate) {
  IbNetwork network;
  network.nodes = {{"S-1", "leaf", true}, {"H-1", "a mlx5_0"}, {"H-2", "b mlx5_0"}};
  network.cables = {{1, 0, "4xNDR"}, {2, 0, rate}};
  return network;
}

std::vector<std::string> remarks_with_hint(const IbNetwork& network,
                                           const std::vector<HostHardware>& described) {
  return nodes_on_network("ib.txt", network, described, {.network = "infiniband-hdr-4x"})
      .fabric.value()
      .remarks;
}

TEST(NetworkNodes, SayThatTheOptionForRatesIsNotUsed) {
  HostHardware box;
  box.sockets.push_back({"", "", 0, 0, Bytes{}, {{{}}}});
  box.sockets[0].root_complexes[0].devices.push_back(
      {VertexKind::nic, "", "mlx5_0", "", BytesPerSecond{0}});
  const auto unused =
      Contains("each cable has its rate here: --network infiniband-hdr-4x is not used");

  EXPECT_THAT(remarks_with_hint(pair_at_a_switch("4xNDR"), {}), unused);
  EXPECT_THAT(remarks_with_hint(pair_at_a_switch("4xNDR"), {box}), unused);
  EXPECT_THAT(remarks_with_hint(pair_at_a_switch(""), {box}), Not(unused));
}

// A port that trained down is slow; its host is as the others.
TEST(NetworkNodes, PcieFeedsTheFastestPortOfTheFabric) {
  for (const std::string slow : {"4xHDR", "1xNDR", "4xSDR"}) {
    SCOPED_TRACE(slow);
    const DiscoveredNodes nodes = nodes_on_network("ib.txt", pair_at_a_switch(slow), {});

    ASSERT_EQ(nodes.types.size(), 1U);
    for_each_device_of(nodes.types[0].hardware, [](const HardwareDevice& device) {
      EXPECT_EQ(pcie_link(device.link).link_class, "pcie-5.0-x16");
    });
    EXPECT_THAT(nodes.fabric.value().remarks,
                Contains(HasSubstr("pcie-5.0-x16 as the fastest port needs")));
  }
}

HostHardware box_with(const std::string& host, int nics, int gpus) {
  HostHardware box;
  box.host = host;
  box.sockets.push_back({"", "", 0, 0, Bytes{}, {{}}});
  std::vector<HardwareDevice>& devices = box.sockets[0].root_complexes[0].devices;
  devices.resize(static_cast<std::size_t>(gpus));
  for (int nic = 0; nic < nics; ++nic)
    devices.push_back({VertexKind::nic, "", fmt::format("mlx5_{}", nic), "", BytesPerSecond{0}});
  return box;
}

/// Hosts with these ports, at one switch: {"a mlx5_0", "a mlx5_1"}.
IbNetwork at_a_switch(const std::vector<std::string>& ports) {
  IbNetwork network;
  network.nodes = {{"S-1", "leaf", true}};
  for (const std::string& port : ports) {
    network.nodes.push_back({"H-" + port, port});
    network.cables.push_back({static_cast<int>(network.nodes.size()) - 1, 0, "4xNDR"});
  }
  return network;
}

std::vector<std::string> ends_of(const DiscoveredNodes& nodes) {
  std::vector<std::string> ends;
  for (const DiscoveredFabric::Cable& cable : nodes.fabric.value().cables)
    ends.push_back(cable.from);
  return ends;
}

// A failed port of `b`; `c` has a third of the NICs, as a file server.
TEST(NetworkNodes, KeepAHostWithAFailedPort) {
  const IbNetwork network =
      at_a_switch({"a mlx5_0", "a mlx5_1", "a mlx5_2", "b mlx5_0", "b mlx5_2", "c mlx5_0"});

  const DiscoveredNodes nodes = nodes_on_network("ib.txt", network, {box_with("a", 3, 3)});

  ASSERT_EQ(nodes.types.size(), 1U);
  EXPECT_THAT(nodes.types[0].hosts, ElementsAre("a", "b"));
  EXPECT_THAT(ends_of(nodes),
              ElementsAre("node0.nic0", "node0.nic1", "node0.nic2", "node1.nic0", "node1.nic2"));
  EXPECT_THAT(nodes.fabric.value().remarks,
              ElementsAre("hosts without the NICs of the node are left out: 1, the first is c",
                          "NICs without a port in the network have no cable: 1, the first is "
                          "b mlx5_1"));
}

// With all but one of the NICs of `gpu`, and all of `login`.
TEST(NetworkNodes, AHostWithAFailedPortIsLikeTheDescriptionThatFitsBest) {
  std::vector<std::string> ports;
  for (int nic = 0; nic < 7; ++nic)
    ports.push_back(fmt::format("x mlx5_{}", nic));
  const HostHardware gpu = box_with("gpu", 8, 8);
  const HostHardware login = box_with("login", 1, 1);

  for (const auto& described : {std::vector{gpu, login}, std::vector{login, gpu}}) {
    const DiscoveredNodes nodes = nodes_on_network("ib.txt", at_a_switch(ports), described);
    EXPECT_EQ(count_of(VertexKind::gpu, nodes.types.at(0).hardware), 8);
  }
}

// Host `a` has no GPU, so that the cluster file leaves it out and `b` is node 0.
TEST(NetworkNodes, NumberTheHostsWithGpus) {
  HostHardware storage;
  storage.host = "a";
  storage.sockets.push_back({"", "", 0, 0, Bytes{}, {{}}});
  storage.sockets[0].root_complexes[0].devices.push_back(
      {VertexKind::nic, "", "mlx5_0", "", BytesPerSecond{0}});
  HostHardware box = storage;
  box.host = "b";
  box.sockets[0].root_complexes[0].devices.push_back({});

  const auto cables = [](const std::vector<HostHardware>& described) {
    std::vector<std::string> ends;
    const DiscoveredNodes nodes = nodes_on_network("ib.txt", pair_at_a_switch("4xNDR"), described);
    for (const DiscoveredFabric::Cable& cable : nodes.fabric.value().cables)
      ends.push_back(cable.from + " - " + cable.to);
    return ends;
  };
  EXPECT_THAT(cables({box, storage}), ElementsAre("node0.nic0 - S-1"));
  EXPECT_THAT(cables({storage}), ElementsAre("node0.nic0 - S-1", "node1.nic0 - S-1"));
}

// The trays of an NVL72 are one node to NCCL, on a real network, too.
TEST(NetworkNodes, HostsOfARackAreOne) {
  IbNetwork network;
  network.nodes = {{"leaf", "leaf", true}};
  for (int host = 0; host < 20; ++host) {
    for (int nic = 0; nic < 2; ++nic) {
      network.nodes.push_back(
          {fmt::format("H-{}-{}", host, nic), fmt::format("n{:02} mlx5_{}", host, nic)});
      network.cables.push_back({static_cast<int>(network.nodes.size()) - 1, 0, "4xNDR"});
    }
  }
  const DiscoveredNodes racks = nodes_on_network("ib.txt", network, {tray_of_gb200()});

  ASSERT_EQ(racks.types.size(), 1U);
  EXPECT_THAT(racks.types[0].hosts, ElementsAre("n00 .. n09", "n10 .. n19"));
  EXPECT_EQ(count_of(VertexKind::gpu, racks.types[0].hardware), 10);
  const DiscoveredFabric& fabric = racks.fabric.value();
  ASSERT_EQ(fabric.cables.size(), 40U);
  EXPECT_EQ(fabric.cables[19].from, "node0.nic19");
  EXPECT_EQ(fabric.cables[20].from, "node1.nic0");
  EXPECT_THAT(fabric.remarks, Contains(StartsWith("up to 18 hosts with consecutive names")));
}

}  // namespace
}  // namespace ringcast
