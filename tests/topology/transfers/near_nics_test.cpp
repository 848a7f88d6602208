#include "topology/transfers/near_nics.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "tests/topology/transfers/paths.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {
namespace {

using namespace machines;
using testing::Names;
using testing::names_of;
using testing::paths_of;

CableSpec known(const char* name) {
  CableSpec spec = cable(name, find_link_class(name)->achievable.value() / 1e9);
  spec.base_class = name;
  return spec;
}

struct Links {
  const char* socket = "upi-10.4";
  const char* network = "infiniband-edr-4x";
  const char* nic = "pcie-3.0-x16";
  bool nics_at_root = false;
};

/// Hosts of two sockets with two GPUs and a NIC each, on a PCIe switch or the NIC beside it.
Cluster hosts_of(const Links& links, int hosts, int rails = 1) {
  const CableSpec pcie = known("pcie-3.0-x16");
  const DeviceSpec nic{VertexKind::nic, 1, known(links.nic), {}};
  DeviceSpec board{VertexKind::pcie_switch, 1, pcie, {{VertexKind::gpu, 2, pcie, {}}}};
  if (!links.nics_at_root) board.devices.push_back(nic);
  std::vector<DeviceSpec> devices{board};
  if (links.nics_at_root) devices.push_back(nic);
  const NodeTypeSpec type{
      "host", {socket(devices), socket(devices)}, known(links.socket), {}, std::nullopt};
  ClusterSpec spec = on_one_switch(type, hosts, rails);
  spec.single_switch->cable = known(links.network);
  return build_cluster(spec);
}

TransportProfile nccl(NcclVersion version = {2, 27}) {
  return {.tuner = Tuner::nccl, .nccl_version = version};
}

std::vector<int> nodes_of(const Links& links, const TransportProfile& profile = nccl(),
                          int hosts = 1) {
  return paths_of(Topology{hosts_of(links, hosts)}, profile).nodes();
}

const std::vector<int> one_node{0, 0, 0, 0};
const std::vector<int> two_nodes{0, 0, 2, 2};

// NCCL's rates, GB/s: PCIe 3.0 12, EDR 12.5, UPI of Skylake 10. Each GPU has a NIC at 12.
TEST(NearNics, SplitANodeIfTheyAreFasterThanTheSocketLink) {
  EXPECT_EQ(nodes_of({}), two_nodes);
  EXPECT_EQ(nodes_of({}, nccl(), 2), (std::vector{0, 0, 2, 2, 4, 4, 6, 6}));
  TransportProfile no_p2p = nccl();
  no_p2p.p2p = std::nullopt;
  EXPECT_EQ(nodes_of({}, no_p2p), two_nodes);
}

// UPI 16 has 22 GB/s, but 10 before NCCL knew it (2.26). NICs: FDR has 7 GB/s, four lanes have 3.
TEST(NearNics, AreComparedByTheRatesOfTheRelease) {
  EXPECT_EQ(nodes_of({.socket = "upi-16"}), one_node);
  EXPECT_EQ(nodes_of({.socket = "upi-16"}, nccl({2, 24})), two_nodes);
  EXPECT_EQ(nodes_of({.network = "infiniband-fdr-4x"}), one_node);
  EXPECT_EQ(nodes_of({.nic = "pcie-3.0-x4"}), one_node);
}

TEST(NearNics, AreBelowThePcieSwitchesOfTheirGpus) {
  EXPECT_EQ(nodes_of({.nics_at_root = true}), one_node);
}

TEST(NearNics, OnlyMatterToSomeReleasesOfNccl) {
  EXPECT_EQ(nodes_of({}, nccl({2, 28})), one_node);
  EXPECT_EQ(nodes_of({}, {.tuner = Tuner::rccl}), one_node);
  EXPECT_EQ(nodes_of({}, {}), one_node);
  TransportProfile disabled = nccl();
  disabled.network_in_node = false;
  EXPECT_EQ(nodes_of({}, disabled), one_node);
}

TEST(NearNics, CarryMessagesBetweenTheSockets) {
  const Topology topology{hosts_of({}, 1)};
  const TransferPaths paths = paths_of(topology, nccl());
  EXPECT_TRUE(paths.splits_nodes());
  EXPECT_EQ(paths.between(Rank{0}, Rank{1}).kind, PathKind::p2p);
  const TransferPath& path = paths.between(Rank{1}, Rank{2});
  EXPECT_EQ(path.kind, PathKind::network);
  const Names names = names_of(topology, path.main);
  for (const char* const link : {"node0.nic0 -> switch0", "switch0 -> node0.nic1"})
    EXPECT_EQ(std::ranges::count(names, link), 1) << link;
}

// NCCL's job does not start either if the NICs of a host do not reach each other
// (NVIDIA/nccl#1405).
TEST(NearNics, ThatNoSwitchesConnectAreRefusedWithBothRemedies) {
  const Topology topology{hosts_of({}, 2, 2)};
  TransportProfile profile = nccl();
  try {
    static_cast<void>(paths_of(topology, profile).between(Rank{1}, Rank{2}));
    FAIL();
  } catch (const ScenarioError& error) {
    EXPECT_STREQ(
        error.what(),
        "no switches connect NICs of node0.gpu1 and node0.gpu2, which communicate over the "
        "network (expected a fabric with them, or a transport with shm: true and "
        "network_in_node: false)");
  }
  profile.network_in_node = false;
  EXPECT_EQ(paths_of(topology, profile).between(Rank{1}, Rank{2}).kind, PathKind::p2p);
}

}  // namespace
}  // namespace ringcast
