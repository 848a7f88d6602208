#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "tests/topology/transfers/paths.hpp"

namespace ringcast {
namespace {

using namespace machines;
using testing::Names;
using testing::names_of;
using testing::paths_of;

// 5 GB/s for what kernels stage, on cables of the network only.
TEST(NetworkPaths, LimitWhatKernelsStageOnTheNetwork) {
  ClusterSpec spec = on_one_switch(dual_root(), 2);
  spec.single_switch->cable.kernel_bandwidth = BytesPerSecond{5e9};
  const Topology topology{build_cluster(spec)};
  const auto limited_links = [&](const TransportProfile& profile) {
    const Names names =
        names_of(topology, paths_of(topology, profile).between(Rank{0}, Rank{8}).main);
    return std::ranges::count_if(
        names, [](const std::string& name) { return name.ends_with("kernel copies"); });
  };
  EXPECT_EQ(limited_links({.gdr = std::nullopt, .kernel_copies = true}), 2);
  EXPECT_EQ(limited_links({.gdr = std::nullopt}), 0);
  EXPECT_EQ(limited_links({.kernel_copies = true}), 0);
  // GPUs 0 and 8 are PXB to the NIC, 4 and 12 SYS. The sender's kernels write host memory, the
  // receiver's read it, which is slow.
  const TransferPaths paths = paths_of(topology, {.gdr = PathLevel::phb, .kernel_copies = true});
  const auto is_limited = [&](int from, int to) {
    return std::ranges::any_of(
        names_of(topology, paths.between(Rank{from}, Rank{to}).main), [](const std::string& name) {
          return name.starts_with("switch0") && name.ends_with("kernel copies");
        });
  };
  EXPECT_TRUE(is_limited(0, 12));
  EXPECT_FALSE(is_limited(4, 8));
}

// A GPU reads host memory over NVLink-C2C as fast as its own over NVLink.
TEST(NetworkPaths, DoNotLimitWhatKernelsStageOverC2c) {
  const auto is_limited = [](const std::string& gpu_link) {
    NodeTypeSpec type = least();
    type.sockets.front().root_complexes.front().devices.front().cable.base_class = gpu_link;
    ClusterSpec spec = on_one_switch(type, 2);
    spec.single_switch->cable.kernel_bandwidth = BytesPerSecond{5e9};
    const Topology topology{build_cluster(spec)};
    const TransferPaths paths = paths_of(topology, {.gdr = std::nullopt, .kernel_copies = true});
    return std::ranges::any_of(
        names_of(topology, paths.between(Rank{0}, Rank{1}).main),
        [](const std::string& name) { return name.ends_with("kernel copies"); });
  };
  EXPECT_TRUE(is_limited("pcie-5.0-x16"));
  EXPECT_FALSE(is_limited("nvlink-c2c"));
}

// The NIC is at the first root complex: PHB for GPU 0, SYS for GPU 4.
TEST(NetworkPaths, StageEachSideThatIsTooFarFromItsNic) {
  const Topology topology{build_cluster(on_one_switch(dual_root(), 2))};
  const TransferPaths paths = paths_of(topology, {.gdr = PathLevel::phb, .copy_rate = 2_GBps});

  const TransferPath& path = paths.between(Rank{0}, Rank{12});

  EXPECT_EQ(path.kind, PathKind::network);
  EXPECT_EQ(path.level, PathLevel::sys);
  EXPECT_EQ(path.main.limit, 2_GBps);  // of the receiver's copy
  EXPECT_FALSE(path.staged_by_sender);
  EXPECT_TRUE(path.staged_by_receiver);
  EXPECT_EQ(names_of(topology, path.main),
            (Names{"node0.gpu0 -> node0.sw0", "node0.sw0 -> node0.root0",
                   "node0.root0 -> node0.nic0", "node0.nic0 -> switch0", "switch0 -> node1.nic0",
                   "node1.nic0 -> node1.root0", "node1.root0 -> node1.socket0",
                   "node1.socket0 -> node1.socket1", "node1.socket1 -> node1.root1",
                   "node1.root1 -> node1.sw2", "node1.sw2 -> node1.gpu4"}));
}

// The NIC is past the first root complex. Slingshot's sites set NCCL_NET_GDR_LEVEL=PHB.
TEST(NetworkPaths, UseGpuDirectPastRootComplexesOnSlingshot) {
  const auto staged = [](std::string_view link_class, const TransportProfile& profile) {
    ClusterSpec spec = on_one_switch(dual_root(), 2);
    spec.single_switch->cable.base_class = link_class;
    const Topology topology{build_cluster(spec)};
    return paths_of(topology, profile).between(Rank{0}, Rank{8}).staged_by_sender;
  };
  EXPECT_TRUE(staged("infiniband-hdr-4x", {.gdr = PathLevel::pxb}));
  EXPECT_FALSE(staged("slingshot-11", {.gdr = PathLevel::pxb}));
  EXPECT_TRUE(staged("slingshot-11", {.gdr = std::nullopt}));
}

// ncclTopoCheckGdr() in NCCL's src/graph/paths.cc: GPUs before Ampere that share their node with
// others and have no NVLink. Without a model, GPUs of PCIe 3.0 are such.
TEST(NetworkPaths, OfOldGpusWithoutNvlinkStageWhatTheySend) {
  NodeTypeSpec type = dual_root();
  const auto sends_staged = [&](Tuner tuner, int ranks_per_node) {
    ClusterSpec spec = on_one_switch(type, 2);
    const Topology topology{build_cluster(spec)};
    const int second = ranks_per_node == 1 ? 8 : 1;
    const TransferPaths paths{topology,
                              {.tuner = tuner},
                              {topology.vertex_of(Rank{0}), topology.vertex_of(Rank{second}),
                               topology.vertex_of(Rank{9})}};
    const TransferPath& path = paths.between(Rank{0}, Rank{2});
    EXPECT_FALSE(path.staged_by_receiver);
    return path.staged_by_sender;
  };
  EXPECT_FALSE(sends_staged(Tuner::nccl, 2)) << "neither a model nor a known class of links";
  type.gpu = "V100";
  EXPECT_TRUE(sends_staged(Tuner::nccl, 2));
  EXPECT_FALSE(sends_staged(Tuner::nccl, 1)) << "alone in its node";
  EXPECT_FALSE(sends_staged(Tuner::none, 2));
  EXPECT_FALSE(sends_staged(Tuner::rccl, 2));
  const auto connect_by = [&](const std::string& link_class) {
    for (SocketSpec& socket : type.sockets) {
      for (DeviceSpec& below : socket.root_complexes.front().devices.front().devices)
        below.cable.base_class = link_class;
    }
  };
  connect_by("pcie-3.0-x16");
  type.gpu = "A100";
  EXPECT_FALSE(sends_staged(Tuner::nccl, 2)) << "the model decides, not its PCIe link";
  type.gpu.clear();
  connect_by("pcie-4.0-x16");
  EXPECT_FALSE(sends_staged(Tuner::nccl, 2));
  connect_by("pcie-3.0-x16");
  EXPECT_TRUE(sends_staged(Tuner::nccl, 2));
  type.nvlinks = {{0, 1, 1, cable("nvlink-2.0", 20, 0.5)}};
  EXPECT_FALSE(sends_staged(Tuner::nccl, 2));
}

// 5 GB/s between nodes, where a channel carries 9 in a node; without a rate of their own 9.
TEST(NetworkPaths, HaveARateOfTheirOwn) {
  const Topology topology{build_cluster(machines::on_one_switch(machines::dual_root(), 2))};
  TransportProfile profile;
  profile.protocols = {{.algorithm = "ring", .name = "LL", .channel_rate = BytesPerSecond{9e9}}};
  const auto rate_to = [&](int to) {
    const TransferPaths paths{topology, profile, places_of_ranks(topology, 16, profile)};
    return paths.between(Rank{0}, Rank{to}).protocols.front().channel_rate;
  };
  EXPECT_EQ(rate_to(8), BytesPerSecond{9e9});
  profile.protocols.front().network_rate = BytesPerSecond{5e9};
  EXPECT_EQ(rate_to(8), BytesPerSecond{5e9});
  EXPECT_EQ(rate_to(4), BytesPerSecond{9e9});
}

}  // namespace
}  // namespace ringcast
