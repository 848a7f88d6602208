// PXN: NCCL sends to a NIC that is near another GPU of the node over that GPU's NVLink.
#include <algorithm>
#include <array>
#include <string>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "tests/topology/transfers/paths.hpp"
#include "topology/nccl/nccl_tuner.hpp"
#include "topology/rings/channel_rings.hpp"

namespace ringcast {
namespace {

using namespace machines;
using testing::Names;
using testing::names_of;
using testing::paths_of;

/// Two nodes of two GPUs at NVSwitches and at two sockets; the NIC is beside the first.
Topology one_near_gpu(const std::string& nvlink = "nvlink-3.0") {
  NodeTypeSpec type{"node",
                    {socket({switches(1, {gpus(1), nics(1)})}), socket({gpus(1)})},
                    qpi(),
                    {},
                    NvswitchSpec{6, cable(nvlink, 20, 0.5)}};
  type.nvswitch->cable.base_class = nvlink;
  return Topology{build_cluster(on_one_switch(type, 2))};
}

TransportProfile nccl(int minor) {
  return {.p2p = PathLevel::pxb,
          .gdr = PathLevel::pxb,
          .kernel_copies = true,
          .tuner = Tuner::nccl,
          .nccl_version = {2, minor}};
}

TEST(Pxn, SendsOverTheGpuBesideTheNic) {
  const Topology topology = one_near_gpu();
  const TransferPaths paths = paths_of(topology, nccl(12));

  const TransferPath& path = paths.between(Rank{1}, Rank{2});
  EXPECT_EQ(path.level, PathLevel::pxn);
  EXPECT_FALSE(path.staged_by_sender || path.staged_by_receiver);
  EXPECT_EQ(names_of(topology, path.main),
            (Names{"node0.gpu1 -> node0.nvswitch", "node0.nvswitch -> node0.gpu0",
                   "node0.gpu0 -> node0.sw0", "node0.sw0 -> node0.nic0", "node0.nic0 -> switch0",
                   "switch0 -> node1.nic0", "node1.nic0 -> node1.sw0", "node1.sw0 -> node1.gpu0"}));
}

TEST(Pxn, IsNotForReceiversOlderReleasesAndOtherLibraries) {
  const Topology topology = one_near_gpu();
  EXPECT_TRUE(paths_of(topology, nccl(12)).between(Rank{0}, Rank{3}).staged_by_receiver);
  EXPECT_TRUE(paths_of(topology, nccl(11)).between(Rank{1}, Rank{2}).staged_by_sender);
  TransportProfile rccl = nccl(12);
  rccl.tuner = Tuner::rccl;
  EXPECT_TRUE(paths_of(topology, rccl).between(Rank{1}, Rank{2}).staged_by_sender);
  TransportProfile no_p2p = nccl(12);
  no_p2p.p2p = std::nullopt;
  EXPECT_TRUE(paths_of(topology, no_p2p).between(Rank{1}, Rank{2}).staged_by_sender);
  TransportProfile disabled = nccl(12);
  disabled.pxn = false;
  EXPECT_TRUE(paths_of(topology, disabled).between(Rank{1}, Rank{2}).staged_by_sender);
  TransportProfile over_tcp = nccl(12);
  over_tcp.socket_copy_rate = BytesPerSecond{3e9};
  EXPECT_TRUE(paths_of(topology, over_tcp).between(Rank{1}, Rank{2}).staged_by_sender);
}

// GPU 1 is one switch farther from the NIC than GPU 0, GPU 2 at the other socket.
TEST(Pxn, IsOverTheNearestGpu) {
  NodeTypeSpec type{"node",
                    {socket({{VertexKind::pcie_switch,
                              1,
                              pcie(),
                              {switches(1, {gpus(1)}), switches(1, {gpus(1), nics(1)})}}}),
                     socket({gpus(1)})},
                    qpi(),
                    {},
                    NvswitchSpec{6, cable("nvlink-3.0", 20, 0.5)}};
  const Topology topology{build_cluster(on_one_switch(type, 2))};
  const TransferPaths paths = paths_of(topology, nccl(12));
  const Names names = names_of(topology, paths.between(Rank{2}, Rank{4}).main);
  EXPECT_EQ(names.at(1), "node0.nvswitch -> node0.gpu1");
}

// LL128 is for NICs up to PXB, since Hopper up to PXN.
TEST(Pxn, HasLl128SinceHopper) {
  const auto near = [](const char* nvlink) {
    const Topology topology = one_near_gpu(nvlink);
    const TransferPaths paths = paths_of(topology, nccl(28));
    return nccl_machine(paths, channel_rings(paths)).near_nics;
  };
  EXPECT_FALSE(near("nvlink-3.0"));
  EXPECT_TRUE(near("nvlink-4.0"));
}

// The NIC writes to the memory of GPU 0 and 2 only, which begin the paths of their nodes.
TEST(Pxn, RingsEnterNodesNearTheNic) {
  const Topology topology = one_near_gpu();
  const TransferPaths paths = paths_of(topology, nccl(12));
  const std::vector<RingOrder> rings = channel_rings(paths);

  ASSERT_EQ(rings.size(), 1U);
  EXPECT_TRUE(
      std::ranges::equal(rings.front().ranks(), std::array{Rank{0}, Rank{1}, Rank{2}, Rank{3}}));
}

}  // namespace
}  // namespace ringcast
