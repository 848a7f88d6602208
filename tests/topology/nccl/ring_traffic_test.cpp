// What the rings' paths tell NCCL's tuner about the network.
#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/nccl/nccl_tuner.hpp"
#include "topology/rings/channel_rings.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

NcclMachine machine_of(const ClusterSpec& spec, const TransportProfile& profile = {}) {
  const Topology topology{build_cluster(spec)};
  const TransferPaths paths{topology, profile, places_of_ranks(topology, topology.ranks(), {})};
  return nccl_machine(paths, channel_rings(paths));
}

DeviceSpec on_pcie(DeviceSpec device) {
  device.cable = machines::cable("pcie-3.0-x16", 12);
  device.cable.base_class = "pcie-3.0-x16";
  for (DeviceSpec& below : device.devices)
    below = on_pcie(below);
  return device;
}

NodeTypeSpec node_of(const std::string& name, std::vector<DeviceSpec> devices) {
  for (DeviceSpec& device : devices)
    device = on_pcie(device);
  return {name, {machines::socket(std::move(devices))}, std::nullopt, {}, std::nullopt};
}

ClusterSpec on_a_fast_network(const NodeTypeSpec& type, int nodes) {
  ClusterSpec spec = machines::cluster_of(type, nodes);
  spec.single_switch = SingleSwitchSpec{1, machines::cable("own", 50)};
  return spec;
}

// PCIe of 12 GB/s to a NIC at a root complex: NCCL expects 5/6 of that of Intel's, of a line rate
// that is 15.754 GB/s, not the 15.75 of its constant.
TEST(RingTraffic, IsExpectedSlowerThroughIntelOnly) {
  NodeTypeSpec type = node_of("least", {machines::gpus(1), machines::nics(1)});
  EXPECT_NEAR(machine_of(on_a_fast_network(type, 2)).expected_between.value(), 10e9, 3e6);
  type.amd = true;
  EXPECT_NEAR(machine_of(on_a_fast_network(type, 2)).expected_between.value(), 12e9, 1);
}

// Leaves joined by cables of 1 GB/s: NCCL knows those of 10 GB/s only.
TEST(RingTraffic, IsExpectedAtTheRateOfNics) {
  ClusterSpec spec = machines::on_fat_tree(machines::least(), 2, 2, 2);
  spec.fat_tree->cable = machines::cable("own", 10);
  spec.fat_tree->uplink = machines::cable("own", 1);
  const NcclMachine machine = machine_of(spec);
  EXPECT_NEAR(machine.between.value(), 1e9, 1);
  EXPECT_NEAR(machine.expected_between.value(), 10e9, 1);
}

// A NIC above its GPU's switch is near; one at the root complex is not.
TEST(RingTraffic, IsNearBelowARootComplex) {
  const NodeTypeSpec near = node_of(
      "near",
      {machines::switches(1, {machines::switches(1, {machines::gpus(1)}), machines::nics(1)})});
  EXPECT_TRUE(machine_of(on_a_fast_network(near, 2)).near_nics);
  const NodeTypeSpec far = node_of("far", {machines::gpus(1), machines::nics(1)});
  EXPECT_FALSE(machine_of(on_a_fast_network(far, 2)).near_nics);
}

// The second of three nodes has its NIC beyond GPUDirect's reach; the last hop, from the third to
// the first, is not staged.
TEST(RingTraffic, IsStagedIfAnyHopIs) {
  const NodeTypeSpec near =
      node_of("near", {machines::switches(1, {machines::gpus(1), machines::nics(1)})});
  ClusterSpec spec = on_a_fast_network(near, 1);
  spec.node_types.push_back(node_of(
      "far",
      {machines::switches(1, {machines::switches(1, {machines::gpus(1)}), machines::nics(1)})}));
  spec.nodes.push_back({"far", 1});
  spec.nodes.push_back({"near", 1});
  TransportProfile profile;
  profile.gdr = PathLevel::pix;
  EXPECT_FALSE(machine_of(spec, profile).near_nics);
  spec.nodes = {{"near", 3}};
  EXPECT_TRUE(machine_of(spec, profile).near_nics);
}

// Two GPUs below one root complex, each at a switch of its own; only a switch above both keeps the
// two hops of their ring below it.
TEST(RingTraffic, PassesNoRootComplexBelowASwitch) {
  const DeviceSpec pair = machines::switches(2, {machines::gpus(1)});
  const auto past_root = [](const DeviceSpec& device) {
    return machine_of(machines::cluster_of(node_of("pair", {device}), 1)).past_root;
  };
  EXPECT_EQ(past_root(pair), 1);
  EXPECT_EQ(past_root(machines::switches(1, {pair})), 0);
}

// Slingshot has a rendezvous with any library.
TEST(RingTraffic, HasTheRendezvousOfItsNetwork) {
  const NodeTypeSpec type = node_of("least", {machines::gpus(1), machines::nics(1)});
  ClusterSpec spec = on_a_fast_network(type, 2);
  EXPECT_FALSE(machine_of(spec).rendezvous.has_value());
  spec.single_switch->cable.base_class = "slingshot-11";
  EXPECT_TRUE(machine_of(spec).rendezvous.has_value());
}

// A NIC counts with its rate, whatever copies to sockets cost.
TEST(RingTraffic, IsNotSlowedBySockets) {
  const NodeTypeSpec type = node_of("least", {machines::gpus(1), machines::nics(1)});
  const ClusterSpec spec = on_a_fast_network(type, 2);
  TransportProfile profile;
  profile.gdr.reset();
  const BytesPerSecond plain = machine_of(spec, profile).between;
  profile.socket_copy_rate = BytesPerSecond{1e9};
  EXPECT_EQ(machine_of(spec, profile).between, plain);
  profile.socket_copy_rate = BytesPerSecond{0};
  profile.kernel_copies = true;
  EXPECT_EQ(machine_of(spec, profile).between, plain);
}

}  // namespace
}  // namespace ringcast
