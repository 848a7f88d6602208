#include "topology/nccl/nccl_search.hpp"

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/links/link_class.hpp"
#include "topology/transfers/nccl_links.hpp"

namespace ringcast {
namespace {

// The slowest rate between nodes of A100, 0.12 GB/s, though the NICs carry less.
TEST(NcclSearch, HasNoRateBelowTheSlowest) {
  NcclMachine machine{.nodes = 2,
                      .ranks = 16,
                      .nvlink = true,
                      .in_node = BytesPerSecond{240e9},
                      .between = BytesPerSecond{0.1e9}};
  detail::take_searched_rings(machine, machine.in_node, 1);
  EXPECT_EQ(machine.search.rings, 1);
  EXPECT_NEAR(machine.search.ring_rate.value(), 0.12e9, 1);
}

// Two rings over PCIe reach 22 GB/s, 11 each, which is in no table.
TEST(NcclSearch, LeavesRingsOverPcieTheirRate) {
  NcclMachine machine{.ranks = 4, .in_node = BytesPerSecond{22e9}, .between = {}, .rccl = true};
  detail::take_searched_rings(machine, machine.in_node, 2);
  EXPECT_EQ(machine.search.rings, 2);
  EXPECT_NEAR(machine.search.ring_rate.value(), 11e9, 1);
}

/// What NCCL expects of an NVLink of this class that reaches `rate`, in bytes per second.
double expected_nvlink(NodeTypeSpec type, const char* name, BytesPerSecond rate) {
  CableSpec cable = machines::cable(name, rate.value() / 1e9);
  cable.base_class = name;
  for (NvlinkSpec& nvlink : type.nvlinks)
    nvlink = {nvlink.gpu_a, nvlink.gpu_b, 1, cable};
  if (type.nvswitch) type.nvswitch = NvswitchSpec{1, cable};
  const Topology topology{build_cluster(machines::cluster_of(type, 1))};
  const auto found = std::ranges::find(topology.cluster().cables, name, &Cable::base_class);
  const auto place = found - topology.cluster().cables.begin();
  return detail::nominal_rate(topology, LinkId{2 * static_cast<int>(place)});
}

// NVLinks of V100 that reach what their class does without a switch, and through one: 20 GB/s each.
// Bridges of RTX cards keep the rate that they have.
TEST(NcclSearch, TakesNvlinksAtNcclsRate) {
  const LinkClass& nvlink = *find_link_class("nvlink-2.0");
  ASSERT_NE(nvlink.direct_achievable, nvlink.achievable);
  const NodeTypeSpec mesh = machines::dgx1();
  EXPECT_NEAR(expected_nvlink(mesh, "nvlink-2.0", nvlink.direct_achievable), 20e9, 1);
  EXPECT_NEAR(expected_nvlink(machines::dgx2(), "nvlink-2.0", nvlink.achievable), 20e9, 1);
  EXPECT_NEAR(expected_nvlink(mesh, "nvlink-3.0-rtx", BytesPerSecond{11e9}), 11e9, 1);
}

}  // namespace
}  // namespace ringcast
