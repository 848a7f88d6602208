#include "topology/nccl/pcie_search.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/nccl/nccl_tuner.hpp"
#include "topology/rings/channel_rings.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

DeviceSpec gpus_on(const char* link, int count) {
  DeviceSpec device = machines::gpus(count);
  device.cable.base_class = link;
  return device;
}

DeviceSpec switches_on(const char* link, int count, std::vector<DeviceSpec> below) {
  DeviceSpec device = machines::switches(count, std::move(below));
  device.cable.base_class = link;
  return device;
}

NcclMachine machine_with(const NodeTypeSpec& type, int nodes = 1, const char* network = "",
                         NcclVersion version = newest_nccl) {
  ClusterSpec spec = machines::cluster_of(type, nodes);
  if (nodes > 1) {
    spec.single_switch = SingleSwitchSpec{1, machines::cable(network, 4.5)};
    spec.single_switch->cable.base_class = network;
  }
  const Topology topology{build_cluster(spec)};
  const TransferPaths paths{
      topology, {.nccl_version = version}, places_of_ranks(topology, topology.ranks(), {})};
  return nccl_machine(paths, channel_rings(paths));
}

void expect_channels(const NcclMachine& machine, int rings, double ring_rate, double tree_rate) {
  EXPECT_EQ(machine.search.rings, rings);
  EXPECT_NEAR(machine.search.ring_rate.value(), ring_rate * 1e9, 1);
  EXPECT_NEAR(machine.search.tree_rate.value(), tree_rate * 1e9, 1);
}

NodeTypeSpec node_of(std::vector<DeviceSpec> devices) {
  return {"node", {machines::socket(std::move(devices))}, std::nullopt, {}, std::nullopt};
}

// PCIe 4.0 is 24 GB/s. Below an AMD processor 20, 18 and 15 leave room for one ring, 12 for two;
// Intel's carries 24 x 5/6 = 20 of peer traffic, one ring of 20 or two of 10.
TEST(PcieSearch, KeepsTheRateWithTheLargestSum) {
  NodeTypeSpec type = node_of({gpus_on("pcie-4.0-x16", 4)});
  expect_channels(machine_with(type), 1, 20, 20);
  type.amd = true;
  expect_channels(machine_with(type), 2, 12, 12);
}

// Intel's PCIe 5.0 carries 40 GB/s, in two halves since they are 25 or more.
TEST(PcieSearch, HalvesFastChannels) {
  expect_channels(machine_with(node_of({gpus_on("pcie-5.0-x16", 4)})), 2, 20, 20);
}

// Two sockets of two GPUs below a switch each: QPI is 6 GB/s to NCCL, whatever it reaches.
TEST(PcieSearch, TakesLinksBetweenSocketsAtNcclsRates) {
  NodeTypeSpec type = node_of({switches_on("pcie-3.0-x16", 1, {gpus_on("pcie-3.0-x16", 2)})});
  type.sockets.push_back(type.sockets.front());
  type.socket_cable = machines::cable("qpi-9.6", 9);
  type.socket_cable->base_class = "qpi-9.6";
  expect_channels(machine_with(type), 1, 6, 6);
}

// The same of PCIe 5.0 with UPI 16, 22 GB/s: two rings of 11 are more than one of 20. Before 2.26
// it is 10 GB/s: three rings of 3 are more than one of 6.
TEST(PcieSearch, TakesNewerUpiAtTheRateOfSkylakeInOlderReleases) {
  NodeTypeSpec type = node_of({switches_on("pcie-5.0-x16", 1, {gpus_on("pcie-5.0-x16", 2)})});
  type.sockets.push_back(type.sockets.front());
  type.socket_cable = machines::cable("upi-16", 30);
  type.socket_cable->base_class = "upi-16";
  EXPECT_NEAR(machine_with(type).search.ring_rate.value(), 11e9, 1);
  EXPECT_NEAR(machine_with(type, 1, "", {2, 24}).search.ring_rate.value(), 3e9, 1);
}

// Two pairs with a bridge each have two channels at least: between sockets of AMD, 16 GB/s to NCCL,
// two of 7 and three of 5 are less than four of 4. Trees cross one way, all of them.
TEST(PcieSearch, HasTwoChannelsBetweenTwoBridges) {
  NodeTypeSpec type = node_of({gpus_on("pcie-4.0-x16", 2)});
  type.amd = true;
  type.sockets.push_back(type.sockets.front());
  type.socket_cable = machines::cable("xgmi-2", 30);
  type.socket_cable->base_class = "xgmi-2";
  CableSpec bridge = machines::cable("nvlink-3.0", 20);
  bridge.base_class = "nvlink-3.0";
  type.nvlinks = {{0, 1, 12, bridge}, {2, 3, 12, bridge}};
  expect_channels(machine_with(type), 4, 4, 4);
}

// Four GPUs without P2P below a switch of 12 GB/s: four hops of a ring, at 6/5 each, leave 2.5
// GB/s, less than NCCL's least rate, 3. The three hops of a chain leave 3.33.
TEST(PcieSearch, LeavesTreesWhereNoRingFits) {
  NodeTypeSpec type = node_of({switches_on("pcie-3.0-x16", 1, {gpus_on("pcie-3.0-x16", 4)})});
  type.gpudirect = false;
  expect_channels(machine_with(type), 1, 0.1, 3);
}

/// The generation of four GPUs on this link.
GpuGeneration generation_with(const char* link, const char* gpu, bool gpudirect = true) {
  NodeTypeSpec type = node_of({gpus_on(link, 4)});
  type.gpu = gpu;
  type.gpudirect = gpudirect;
  return machine_with(type).gpus.generation;
}

// NCCL compares compute capabilities with 8.0, 9.0 and 10.0.
TEST(PcieSearch, IsThatOfTheGenerationOfTheModel) {
  EXPECT_EQ(generation_with("pcie-3.0-x16", "A100"), GpuGeneration::ampere);
  EXPECT_EQ(generation_with("pcie-4.0-x16", "L40S"), GpuGeneration::ampere);
  EXPECT_EQ(generation_with("pcie-4.0-x16", "H100"), GpuGeneration::hopper);
  EXPECT_EQ(generation_with("pcie-4.0-x16", "Quadro RTX 8000"), GpuGeneration::volta);
  EXPECT_EQ(generation_with("pcie-5.0-x16", "RTX PRO 6000"), GpuGeneration::blackwell);
  EXPECT_EQ(generation_with("pcie-5.0-x16", "R9700"), GpuGeneration::ampere);
}

// Only GeForce RTX 50 have PCIe 5.0 and no GPUDirect.
TEST(PcieSearch, TakesLinksForTheGenerationWithoutAModel) {
  EXPECT_EQ(generation_with("pcie-5.0-x16", ""), GpuGeneration::hopper);
  EXPECT_EQ(generation_with("pcie-5.0-x16", "", false), GpuGeneration::blackwell);
  EXPECT_EQ(generation_with("pcie-4.0-x16", "", false), GpuGeneration::ampere);
}

// The link between sockets of Rome is 16 GB/s to NCCL. Blackwell's rates end at 18, Hopper's have
// 15.
TEST(PcieSearch, FindsNeitherRingNorTreeBelowTheRatesOfBlackwell) {
  NodeTypeSpec type = node_of({gpus_on("pcie-5.0-x16", 4)});
  type.sockets.push_back(type.sockets.front());
  type.socket_cable = machines::cable("xgmi-2", 40);
  type.socket_cable->base_class = "xgmi-2";
  type.amd = true;
  type.gpu = "H100";
  expect_channels(machine_with(type), 1, 15, 15);
  type.gpu = "RTX 5090";
  expect_channels(machine_with(type), 1, 0.1, 0.1);
}

// A NIC of 5 GB/s beside two V100: the ring and, between nodes, the tree have 5. In nodes the
// first GPU sends 6/5 of 5 / 2 to the NIC, 6/5 of the chain's rate to the second, and an eighth of
// 5 answers the NIC: 12 - 3 - 0.625 leaves 6.98, of which the table has 6.
TEST(PcieSearch, RaisesTheRateOfTreesInTwoNodes) {
  NodeTypeSpec type = node_of({gpus_on("pcie-3.0-x16", 2), machines::nics(1)});
  type.sockets.front().root_complexes.front().devices.back().cable.base_class = "pcie-3.0-x16";
  expect_channels(machine_with(type, 2, "ethernet-40g"), 1, 5, 6);
  expect_channels(machine_with(type, 3, "ethernet-40g"), 1, 5, 5);
}

// Four rings, one for each NIC, go through the boxes. Each direction of a switch's slot carries 20
// GB/s of peer traffic to NCCL, and each of its rings crosses it once: one ring of 20, none slower
// has a larger sum, and two channels of it. Without a tuner, a program runs on all rings.
TEST(PcieSearch, TakesTheFirstRingsOfAJobWhereItFindsFewerChannels) {
  const Topology topology{build_cluster(machines::boxes_of_pairs(2))};
  const auto rings_with = [&](Tuner tuner) {
    TransportProfile profile{.name = "test", .source = "test"};
    profile.p2p = PathLevel::pxb;
    profile.kernel_copies = true;
    profile.tuner = tuner;
    return rings_of_nccl({topology, profile, places_of_ranks(topology, topology.ranks(), {})});
  };
  const std::vector<RingOrder> all = rings_with(Tuner::none);
  ASSERT_EQ(all.size(), 4U);
  const std::vector<RingOrder> few = rings_with(Tuner::nccl);
  ASSERT_EQ(few.size(), 2U);
  EXPECT_TRUE(std::ranges::equal(few[0].ranks(), all[0].ranks()));
  EXPECT_TRUE(std::ranges::equal(few[1].ranks(), all[1].ranks()));
}

}  // namespace
}  // namespace ringcast
