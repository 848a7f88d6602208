#include "topology/transfers/transfer_path.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "tests/topology/transfers/paths.hpp"

namespace ringcast {
namespace {

using namespace machines;
using testing::Names;
using testing::names_of;
using testing::paths_of;

/// machines::dual_root() with every limit that a cluster can have: sockets of 40 GB/s memory, 8
/// GB/s for peers past a root complex, 15 GB/s both ways over QPI.
NodeTypeSpec limited() {
  NodeTypeSpec type = dual_root();
  for (SocketSpec& socket : type.sockets) {
    socket.memory = BytesPerSecond{40e9};
    for (DeviceSpec& device : socket.root_complexes.front().devices) {
      device.cable.peer_bandwidth = device.cable.kernel_bandwidth = BytesPerSecond{8e9};
    }
  }
  type.socket_cable->bandwidth = BytesPerSecond{10e9};
  type.socket_cable->both_ways = BytesPerSecond{15e9};
  return type;
}

TEST(TransferPaths, AreDirectUpToTheProfilesLevel) {
  const Topology topology{build_cluster(cluster_of(limited(), 1))};
  const TransferPaths paths = paths_of(topology, {.p2p = PathLevel::phb});

  const TransferPath& near = paths.between(Rank{0}, Rank{1});
  EXPECT_EQ(near.kind, PathKind::p2p);
  EXPECT_EQ(names_of(topology, near.main),
            (Names{"node0.gpu0 -> node0.sw0", "node0.sw0 -> node0.gpu1"}));
  const TransferPath& far = paths.between(Rank{0}, Rank{2});
  EXPECT_EQ(far.kind, PathKind::p2p);
  EXPECT_EQ(names_of(topology, far.main),
            (Names{"node0.gpu0 -> node0.sw0", "node0.sw0 -> node0.root0",
                   "node0.sw0 -> node0.root0, peer traffic", "node0.root0 -> node0.sw1",
                   "node0.root0 -> node0.sw1, peer traffic", "node0.sw1 -> node0.gpu2"}));
}

// The limit is of packets that a root complex has split: below one switch there are none.
TEST(TransferPaths, ObeyPeerLimitsPastARootComplexOnly) {
  NodeTypeSpec type = dual_root();
  for (SocketSpec& socket : type.sockets) {
    socket.root_complexes.front().devices.front().devices.front().cable.peer_bandwidth =
        BytesPerSecond{8e9};
  }
  const Topology topology{build_cluster(cluster_of(type, 1))};
  const TransferPaths paths = paths_of(topology, {.p2p = PathLevel::phb});

  EXPECT_EQ(names_of(topology, paths.between(Rank{0}, Rank{1}).main),
            (Names{"node0.gpu0 -> node0.sw0", "node0.sw0 -> node0.gpu1"}));
  EXPECT_EQ(names_of(topology, paths.between(Rank{0}, Rank{2}).main),
            (Names{"node0.gpu0 -> node0.sw0", "node0.gpu0 -> node0.sw0, peer traffic",
                   "node0.sw0 -> node0.root0", "node0.root0 -> node0.sw1",
                   "node0.sw1 -> node0.gpu2", "node0.sw1 -> node0.gpu2, peer traffic"}));
}

TEST(TransferPaths, StagedByKernelsObeyTheirLimits) {
  const Topology topology{build_cluster(cluster_of(limited(), 1))};
  const TransferPaths paths = paths_of(topology, {.p2p = std::nullopt, .kernel_copies = true});

  EXPECT_EQ(names_of(topology, paths.between(Rank{0}, Rank{1}).main),
            (Names{"node0.gpu0 -> node0.sw0", "node0.sw0 -> node0.root0",
                   "node0.sw0 -> node0.root0, kernel copies", "node0.root0 -> node0.socket0",
                   "node0.socket0, memory", "node0.socket0 -> node0.root0",
                   "node0.root0 -> node0.sw0", "node0.root0 -> node0.sw0, kernel copies",
                   "node0.sw0 -> node0.gpu1", "node0.socket0, memory"}));
}

/// 9 us, or at half the rate 5 us; staged 7 us.
std::vector<Protocol> two_protocols() {
  return {{.algorithm = "ring",
           .name = "whole",
           .latencies = {{PathKind::p2p, Seconds{9e-6}}, {PathKind::staged, Seconds{9e-6}}}},
          {.algorithm = "ring",
           .name = "half",
           .latencies = {{PathKind::p2p, Seconds{5e-6}}, {PathKind::staged, Seconds{7e-6}}},
           .efficiency = 0.5}};
}

// Over PCIe at 10 GB/s both protocols take the same time at 40 kB, where the halved rate costs 4
// us. QPI has 10 GB/s too; on a staged path the latencies differ by 2 us: 20 kB.
TEST(TransferPaths, MessagesTakeTheFastestProtocol) {
  const Topology topology{build_cluster(cluster_of(limited(), 1))};
  TransportProfile profile{.p2p = PathLevel::pix};
  profile.protocols = two_protocols();
  const TransferPaths paths = paths_of(topology, profile);
  const auto latency = [&](int to, std::uint64_t length) {
    return paths.latency(paths.between(Rank{0}, Rank{to}), Bytes{length}).count();
  };

  EXPECT_EQ(latency(1, 0), 5e-6);
  EXPECT_EQ(latency(1, 39'999), 5e-6);
  EXPECT_EQ(latency(1, 40'001), 9e-6);
  EXPECT_EQ(latency(4, 19'999), 7e-6);
  EXPECT_EQ(latency(4, 20'001), 9e-6);
  EXPECT_EQ(paths.between(Rank{0}, Rank{1}).wire_bytes_of(Bytes{1'001}), Bytes{2'002});
  EXPECT_EQ(paths.between(Rank{0}, Rank{1}).wire_bytes_of(Bytes{1'000'000}), Bytes{1'000'000});
}

// All-to-all, say, of which NCCL has none, sends its messages as a ring does.
TEST(TransportProfiles, HaveTheProtocolsOfARingForOtherAlgorithms) {
  TransportProfile profile;
  profile.protocols = {{.algorithm = "tree", .name = "LL"}, {.algorithm = "ring", .name = "LL"}};
  for (const auto& [algorithm, kept] : {std::pair{"all-to-all", "ring"}, {"tree", "tree"}}) {
    const TransportProfile own = profile.of_algorithm(algorithm);
    ASSERT_EQ(own.protocols.size(), 1U);
    EXPECT_EQ(own.protocols.front().algorithm, kept);
  }
}

// Down to the sender's socket, up from there: its memory is written and read.
TEST(TransferPaths, AreStagedThroughTheSendersSocketBeyond) {
  const Topology topology{build_cluster(cluster_of(limited(), 1))};
  const TransferPaths paths = paths_of(topology, {.p2p = PathLevel::phb});

  const TransferPath& path = paths.between(Rank{0}, Rank{4});

  EXPECT_EQ(path.kind, PathKind::staged);
  EXPECT_EQ(path.level, PathLevel::sys);
  EXPECT_EQ(
      names_of(topology, path.main),
      (Names{"node0.gpu0 -> node0.sw0", "node0.sw0 -> node0.root0", "node0.root0 -> node0.socket0",
             "node0.socket0, memory", "node0.socket0 -> node0.socket1",
             "node0.socket0 - node0.socket1, both ways", "node0.socket1 -> node0.root1",
             "node0.root1 -> node0.sw2", "node0.sw2 -> node0.gpu4", "node0.socket0, memory"}));
  EXPECT_FALSE(path.copy_down.has_value());
}

TEST(TransferPaths, WithoutP2pAreStagedBelowOneSwitchToo) {
  const Topology topology{build_cluster(cluster_of(dual_root(), 1))};
  const TransferPaths paths = paths_of(topology, {.p2p = std::nullopt});

  EXPECT_EQ(names_of(topology, paths.between(Rank{0}, Rank{1}).main),
            (Names{"node0.gpu0 -> node0.sw0", "node0.sw0 -> node0.root0",
                   "node0.root0 -> node0.socket0", "node0.socket0 -> node0.root0",
                   "node0.root0 -> node0.sw0", "node0.sw0 -> node0.gpu1"}));
}

// Kernels of each GPU read at most 2 GB/s; copy engines do not have the limit.
TEST(TransferPaths, AreLimitedByWhatAGpusKernelsReadOfTheHost) {
  NodeTypeSpec type = dual_root();
  type.sockets[1].staging_bandwidth = BytesPerSecond{2e9};
  const Topology topology{build_cluster(cluster_of(type, 1))};
  TransportProfile profile{.p2p = std::nullopt};
  for (const bool kernels : {true, false}) {
    profile.kernel_copies = kernels;
    const TransferPaths paths = paths_of(topology, profile);
    const TransferPath& limited = paths.between(Rank{0}, Rank{4});
    EXPECT_NEAR(limited.time_per_byte.count(), kernels ? 1 / 2e9 : 1 / 6e9, 1e-18);
    EXPECT_EQ(names_of(topology, limited.main).back(),
              kernels ? "node0.gpu4, staged reads" : "node0.sw2 -> node0.gpu4");
    EXPECT_NEAR(paths.between(Rank{4}, Rank{0}).time_per_byte.count(), 1 / 6e9, 1e-18);
  }
}

// GPUs 0 and 1 have a bridge, 2 and 3 have none; a NIC is below each GPU's root complex.
TEST(TransferPaths, WithoutGpuDirectAreStagedButOverNvlink) {
  NodeTypeSpec type = dual_root();
  type.nvlinks = {{0, 1, 2, cable("nvlink-3.0", 20, 0.5)}};
  for (const bool gpudirect : {true, false}) {
    type.gpudirect = gpudirect;
    const Topology topology{build_cluster(on_one_switch(type, 2))};
    const TransferPaths paths = paths_of(topology, {.p2p = PathLevel::sys});
    EXPECT_EQ(paths.between(Rank{0}, Rank{1}).kind, PathKind::nvlink);
    EXPECT_EQ(paths.between(Rank{2}, Rank{3}).kind, gpudirect ? PathKind::p2p : PathKind::staged);
    EXPECT_EQ(paths.between(Rank{0}, Rank{8}).staged_by_sender, !gpudirect);
    EXPECT_EQ(paths.between(Rank{0}, Rank{8}).staged_by_receiver, !gpudirect);
  }
}

TEST(TransferPaths, OneAfterTheOtherAreLegs) {
  const Topology topology{build_cluster(on_one_switch(limited(), 2))};
  const TransferPaths paths =
      paths_of(topology, {.p2p = std::nullopt, .gdr = std::nullopt, .pipelined_staging = false});

  const TransferPath& in_node = paths.between(Rank{0}, Rank{1});
  EXPECT_EQ(names_of(topology, *in_node.copy_down),
            (Names{"node0.gpu0 -> node0.sw0", "node0.sw0 -> node0.root0",
                   "node0.root0 -> node0.socket0", "node0.socket0, memory"}));
  EXPECT_EQ(in_node.main.links.size(), 4U);
  EXPECT_FALSE(in_node.copy_up.has_value());
  const TransferPath& across = paths.between(Rank{0}, Rank{8});
  ASSERT_TRUE(across.copy_down && across.copy_up);
  EXPECT_EQ(
      names_of(topology, across.main),
      (Names{"node0.socket0, memory", "node0.socket0 -> node0.root0", "node0.root0 -> node0.nic0",
             "node0.nic0 -> switch0", "switch0 -> node1.nic0", "node1.nic0 -> node1.root0",
             "node1.root0 -> node1.socket0", "node1.socket0, memory"}));
  EXPECT_EQ(names_of(topology, *across.copy_up),
            (Names{"node1.socket0 -> node1.root0", "node1.root0 -> node1.sw0",
                   "node1.sw0 -> node1.gpu0", "node1.socket0, memory"}));
}

// Two copies through shared memory: written, read; written, read.
TEST(TransferPaths, OfCpuRanksCrossMemory) {
  const Topology topology{build_cluster(cluster_of(limited(), 1))};
  TransportProfile profile{.buffers = BufferPlace::host, .host_copies = 2};
  profile.host_copy_rate = BytesPerSecond{4e9};
  const TransferPaths paths = paths_of(topology, profile);

  const TransferPath& same = paths.between(Rank{0}, Rank{1});
  EXPECT_EQ(same.kind, PathKind::host_memory);
  EXPECT_EQ(names_of(topology, same.main), Names(4, "node0.socket0, memory"));
  EXPECT_EQ(same.main.limit, BytesPerSecond{4e9});
  const TransferPath& other = paths.between(Rank{0}, Rank{7});
  EXPECT_EQ(names_of(topology, other.main),
            (Names{"node0.socket0 -> node0.socket1", "node0.socket0 - node0.socket1, both ways",
                   "node0.socket0, memory", "node0.socket0, memory", "node0.socket0, memory",
                   "node0.socket1, memory"}));
}

// A copy on the host reads 40 GB/s of memory and writes them; one of the two that a message of 4
// GB/s takes has 8 GB/s.
TEST(TransferPaths, OfCopiesOnTheHostCrossMemoryTwice) {
  const Topology topology{build_cluster(cluster_of(limited(), 1))};
  const TransferPaths paths =
      paths_of(topology, {.host_copies = 2, .host_copy_rate = BytesPerSecond{4e9}});
  Leg copy = paths.copy_leg(Rank{0}, CopyDirection::on_host);

  EXPECT_EQ(names_of(topology, copy), Names(2, "node0.socket0, memory"));
  EXPECT_EQ(copy.limit, BytesPerSecond{8e9});
  copy.limit = BytesPerSecond{0};
  EXPECT_DOUBLE_EQ(time_per_byte(topology, copy).count(), 2 / 40e9);
}

// Down at 10 GB/s, up at 10 GB/s: the second copy begins when the first has filled the buffer.
TEST(TransferPaths, WaitForTheStagingBuffer) {
  const Topology topology{build_cluster(cluster_of(dual_root(), 1))};
  TransportProfile profile{.p2p = std::nullopt};
  profile.staging_buffer = Bytes{1'000'000};
  const TransferPaths paths = paths_of(topology, profile);

  // Six cables of 1 us, of which the two on the die have none; 1 MB (or the message) at 10 GB/s.
  EXPECT_NEAR(paths.latency(paths.between(Rank{0}, Rank{1}), Bytes{5'000'000}).count(), 4e-6 + 1e-4,
              1e-15);
  EXPECT_NEAR(paths.latency(paths.between(Rank{0}, Rank{1}), Bytes{1'000}).count(), 4e-6 + 1e-7,
              1e-15);
}

TEST(TransferPaths, BeginLongMessagesWithAHandshake) {
  const Topology topology{build_cluster(cluster_of(dual_root(), 1))};
  TransportProfile profile;
  profile.eager_limit = Bytes{4096};
  profile.rendezvous_handshake = Seconds{3e-6};
  const TransferPaths paths = paths_of(topology, profile);

  EXPECT_NEAR(paths.latency(paths.between(Rank{0}, Rank{1}), Bytes{4096}).count(), 2e-6, 1e-15);
  EXPECT_NEAR(paths.latency(paths.between(Rank{0}, Rank{1}), Bytes{4097}).count(), 5e-6, 1e-15);
}

TEST(TransferPaths, NeedHostMemoryToStage) {
  const Cluster cluster{"bare",
                        {{"node0.switch", VertexKind::pcie_switch, 0},
                         {"node0.gpu0", VertexKind::gpu, 0},
                         {"node0.gpu1", VertexKind::gpu, 0}},
                        {{0, 1, BytesPerSecond{1e9}, Seconds{0}, "test", "test"},
                         {0, 2, BytesPerSecond{1e9}, Seconds{0}, "test", "test"}}};
  const Topology topology{cluster};
  const TransferPaths paths = paths_of(topology, {.p2p = std::nullopt});

  EXPECT_EQ(refusal([&] { static_cast<void>(paths.between(Rank{0}, Rank{1})); }),
            "node0.gpu0 has no host memory to stage through (expected a socket in its node, or a "
            "transport whose p2p and gdr levels need none)");
}

}  // namespace
}  // namespace ringcast
