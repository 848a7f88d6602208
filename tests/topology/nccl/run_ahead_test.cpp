// Rings of LL and LL128, whose ranks do not wait for their own messages: a step takes the mean of
// the hops' latencies.
#include <gtest/gtest.h>

#include "tests/topology/nccl/tuned_machines.hpp"
#include "topology/nccl/nccl_tables.hpp"

namespace ringcast {
namespace {

Protocol ring_of(const NcclMachine& machine, std::string_view name) {
  const auto choices = nccl_choices(machine, tuned_profile(), 8_KiB, "ring");
  return std::ranges::find(choices, name, [](const NcclChoice& each) { return each.protocol.name; })
      ->protocol;
}

// 2 of 16 hops cross to the other node. Simple's buffers hold two chunks only. Handshakes all
// protocols begin ahead.
TEST(RunAhead, PaysTheNetworkWhereItIsCrossed) {
  NcclMachine machine = two_nodes_of_a100();
  machine.hops = {{PathKind::nvlink, 1}};
  const Protocol low_latency = ring_of(machine, "LL");
  EXPECT_EQ(low_latency.crossings, 2.0 / 16);
  EXPECT_NEAR(low_latency.beside_crossings.count(),
              14.0 / 16 * low_latency.latency_of(PathKind::nvlink).count(), 1e-15);
  EXPECT_EQ(ring_of(machine, "LL128").crossings, 2.0 / 16);
  EXPECT_EQ(ring_of(machine, "LL128").beside_crossings, 14.0 / 16 * nccl_tables::ring_ll128_hop);
  EXPECT_EQ(ring_of(machine, "Simple").crossings, 1);
  for (const auto* const name : {"LL", "LL128", "Simple"}) {
    EXPECT_EQ(ring_of(machine, name).handshakes, 2.0 / 16);
  }
}

// Between nodes a hop of LL takes the mean of the hops in nodes, one of LL128 its own.
TEST(RunAhead, LeavesTheHopsOfLl128Alone) {
  NcclMachine machine = two_nodes_of_a100();
  const Protocol own = ring_of(machine, "LL128");
  machine.hops = {{PathKind::nvlink, 1}};
  EXPECT_EQ(ring_of(machine, "LL128").latencies, own.latencies);
}

TEST(RunAhead, HasNoNetworkInOneNode) {
  for (const auto* const name : {"LL", "LL128", "Simple"}) {
    EXPECT_EQ(ring_of(eight_h100(), name).handshakes, Protocol{}.handshakes);
    EXPECT_EQ(ring_of(eight_h100(), name).crossings, 1);
  }
}

TEST(RunAhead, PaysTheNetworkAtEachHopOfOneRankPerNode) {
  NcclMachine machine = two_nodes_of_a100();
  machine.ranks = machine.nodes;
  EXPECT_EQ(ring_of(machine, "LL").crossings, 1);
  EXPECT_EQ(ring_of(machine, "Simple").handshakes, 1);
}

// Two of four hops over NVLink bridges, two over PCIe: (0.6 us + 1 us) / 2 with the factors of the
// kinds. Those of Simple keep their own.
TEST(RunAhead, TakesTheMeanOfUnlikeHopsInANode) {
  NcclMachine machine{.ranks = 4, .in_node = BytesPerSecond{20e9}, .between = {}};
  const auto latency = [&](const char* name, PathKind kind) {
    return ring_of(machine, name).latency_of(kind).count();
  };
  machine.hops = {{PathKind::p2p, 1}};
  const double apart = (latency("LL", PathKind::nvlink) + latency("LL", PathKind::p2p)) / 2;
  machine.hops = {{PathKind::nvlink, 0.5}, {PathKind::p2p, 0.5}};
  EXPECT_NEAR(latency("LL", PathKind::nvlink), apart, 1e-15);
  EXPECT_NEAR(latency("LL", PathKind::p2p), apart, 1e-15);
  EXPECT_NE(latency("Simple", PathKind::nvlink), latency("Simple", PathKind::p2p));
}

}  // namespace
}  // namespace ringcast
