// Without shared memory, GPUs of a node that have no P2P use the network.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "tests/topology/transfers/paths.hpp"

namespace ringcast {
namespace {

using namespace machines;
using testing::Names;
using testing::names_of;
using testing::paths_of;

const TransportProfile no_p2p_no_shm{.p2p = std::nullopt, .shm = false};

/// Two GPUs and some NICs on one PCIe switch.
NodeTypeSpec pair_with(int nic_count) {
  return {
      "pair", {socket({switches(1, {gpus(2), nics(nic_count)})})}, std::nullopt, {}, std::nullopt};
}

// Six cables: four of PCIe, 1 us each, and two of the network, 2 us each. 6 GB/s on the network.
TEST(WithoutShm, AGpuUsesItsNicAndThatOfTheOther) {
  const Topology topology{build_cluster(on_one_switch(pair_with(2), 1))};
  const TransferPaths paths = paths_of(topology, no_p2p_no_shm);
  const TransferPath& path = paths.between(Rank{0}, Rank{1});
  EXPECT_EQ(path.kind, PathKind::network);
  EXPECT_EQ(path.level, PathLevel::pix);
  EXPECT_FALSE(path.staged_by_sender || path.staged_by_receiver);
  EXPECT_EQ(names_of(topology, path.main),
            (Names{"node0.gpu0 -> node0.sw0", "node0.sw0 -> node0.nic0", "node0.nic0 -> switch0",
                   "switch0 -> node0.nic1", "node0.nic1 -> node0.sw0", "node0.sw0 -> node0.gpu1"}));
  EXPECT_NEAR(path.main.latency.count(), 4 * 1e-6 + 2 * 2e-6, 1e-12);
  EXPECT_NEAR(path.time_per_byte.count(), 1 / 6e9, 1e-18);
}

// The message crosses the NIC's cable once each way.
TEST(WithoutShm, TwoGpusOfOneNicUseItBothWays) {
  const Topology topology{build_cluster(on_one_switch(pair_with(1), 1))};
  const TransferPaths paths = paths_of(topology, no_p2p_no_shm);
  EXPECT_EQ(names_of(topology, paths.between(Rank{1}, Rank{0}).main),
            (Names{"node0.gpu1 -> node0.sw0", "node0.sw0 -> node0.nic0", "node0.nic0 -> switch0",
                   "switch0 -> node0.nic0", "node0.nic0 -> node0.sw0", "node0.sw0 -> node0.gpu0"}));
}

// By one NIC each, a ring 0 1 2 3 crosses each cable once in a direction. Other routes between
// nodes spread by the destination: 1 -> 2 and 3 -> 0 would leave by either NIC.
TEST(WithoutShm, AGpuHasOneNicForAllMessages) {
  const Topology topology{build_cluster(on_one_switch(pair_with(2), 2))};
  const TransferPaths paths = paths_of(topology, no_p2p_no_shm);
  for (int rank = 0; rank < 4; ++rank) {
    const Names names = names_of(topology, paths.between(Rank{rank}, Rank{(rank + 1) % 4}).main);
    const auto nic = [](int of) { return fmt::format("node{}.nic{}", of / 2, of % 2); };
    EXPECT_EQ(names[2], nic(rank) + " -> switch0");
    EXPECT_EQ(names[3], "switch0 -> " + nic((rank + 1) % 4));
  }
}

// PXB to the NIC: beyond PIX both sides stage, through the memory of their socket.
TEST(WithoutShm, SidesThatAreFarFromTheirNicStage) {
  NodeTypeSpec far = pair_with(0);
  far.sockets = {socket({switches(1, {gpus(2), switches(1, {nics(1)})})})};
  const Topology topology{build_cluster(on_one_switch(far, 1))};
  TransportProfile profile = no_p2p_no_shm;
  profile.gdr = PathLevel::pix;
  const TransferPaths paths = paths_of(topology, profile);
  EXPECT_EQ(paths.between(Rank{0}, Rank{1}).level, PathLevel::pxb);
  EXPECT_TRUE(paths.between(Rank{0}, Rank{1}).staged_by_sender);
  EXPECT_TRUE(paths.between(Rank{0}, Rank{1}).staged_by_receiver);
}

// Two GPUs to a switch, two switches to a socket: PIX within pairs, PHB in a socket.
TEST(WithoutShm, PairsWithP2pKeepIt) {
  const Topology topology{build_cluster(on_one_switch(dual_root(), 1))};
  TransportProfile profile = no_p2p_no_shm;
  profile.p2p = PathLevel::pix;
  const TransferPaths pairs = paths_of(topology, profile);
  EXPECT_EQ(pairs.between(Rank{0}, Rank{1}).kind, PathKind::p2p);
  EXPECT_EQ(pairs.between(Rank{1}, Rank{2}).kind, PathKind::network);
  EXPECT_EQ(pairs.nodes(), (std::vector{0, 0, 2, 2, 4, 4, 6, 6}));
  profile.p2p = PathLevel::phb;
  EXPECT_EQ(paths_of(topology, profile).nodes(), (std::vector{0, 0, 0, 0, 4, 4, 4, 4}));
  profile.p2p = std::nullopt;
  EXPECT_EQ(paths_of(topology, profile).nodes(), (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
  profile.shm = true;
  EXPECT_EQ(paths_of(topology, profile).nodes(), (std::vector{0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(paths_of(topology, profile).between(Rank{1}, Rank{2}).kind, PathKind::staged);
}

// 0 and 2 have no NVLink, but 1 has one to each.
TEST(WithoutShm, AChainOfNvlinksIsOneNode) {
  NodeTypeSpec chain = pair_with(1);
  chain.sockets = {socket({gpus(3), nics(1)})};
  chain.nvlinks = {{0, 1, 1, cable("nvlink-3.0", 20)}, {1, 2, 1, cable("nvlink-3.0", 20)}};
  const Topology topology{build_cluster(on_one_switch(chain, 1))};
  TransportProfile profile = no_p2p_no_shm;
  profile.p2p = PathLevel::nvl;
  const TransferPaths paths = paths_of(topology, profile);
  EXPECT_EQ(paths.nodes(), (std::vector{0, 0, 0}));
  EXPECT_EQ(paths.between(Rank{0}, Rank{2}).kind, PathKind::network);
}

std::string refusal_between_0_and_1(const ClusterSpec& spec) {
  const Topology topology{build_cluster(spec)};
  try {
    static_cast<void>(paths_of(topology, no_p2p_no_shm).between(Rank{0}, Rank{1}));
  } catch (const ScenarioError& error) {
    return error.what();
  }
  return "";
}

TEST(WithoutShm, GpusThatNothingConnectsAreRefused) {
  const std::string expected =
      "no switches connect NICs of node0.gpu0 and node0.gpu1, which communicate over the network "
      "(expected a fabric with them, or a transport with shm: true and network_in_node: false)";
  EXPECT_EQ(refusal_between_0_and_1(cluster_of(pair_with(2), 1)), expected);  // no fabric
  // Their rails do not meet.
  EXPECT_EQ(refusal_between_0_and_1(on_one_switch(pair_with(2), 1, 2)), expected);
  EXPECT_EQ(refusal_between_0_and_1(on_one_switch(pair_with(2), 1)), "");
}

TEST(WithoutShm, ProcessesAreRefused) {
  const Topology topology{build_cluster(on_one_switch(cpu_node(1, 2), 1))};
  EXPECT_THROW(static_cast<void>(paths_of(topology, no_p2p_no_shm)), ScenarioError);
}

}  // namespace
}  // namespace ringcast
