// Ranks that are CPU processes: vertices, paths and bounds.
#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "tests/topology/transfers/paths.hpp"
#include "topology/routes/lower_bound.hpp"

namespace ringcast {
namespace {

using namespace machines;
using testing::Names;
using testing::paths_of;

Names crossed(const TransferPaths& paths, int from, int to) {
  return testing::names_of(paths.topology(), paths.between(Rank{from}, Rank{to}).main);
}

TEST(Processes, AreTheRanksSocketBySocket) {
  const Topology topology{build_cluster(cluster_of(cpu_node(2, 2), 1))};

  ASSERT_EQ(topology.ranks(), 4);
  EXPECT_EQ(name_of_rank(topology, 0), "node0.process0");
  EXPECT_EQ(name_of_rank(topology, 3), "node0.process3");
  EXPECT_EQ(topology.host_of(topology.vertex_of(Rank{1})),
            topology.host_of(topology.vertex_of(Rank{0})));
  EXPECT_NE(topology.host_of(topology.vertex_of(Rank{2})),
            topology.host_of(topology.vertex_of(Rank{0})));
}

// The receiver's core reads what the sender has: its own cable alone, one memory read and one
// written.
TEST(Processes, AreReadByTheReceiversCore) {
  const Topology topology{build_cluster(cluster_of(cpu_node(2, 2), 1))};
  const TransferPaths paths = paths_of(topology, {.host_copies = 1});

  EXPECT_EQ(crossed(paths, 0, 1), (Names{"node0.socket0 -> node0.process1", "node0.socket0, memory",
                                         "node0.socket0, memory"}));
  EXPECT_EQ(crossed(paths, 0, 2),
            (Names{"node0.socket0 -> node0.socket1", "node0.socket1 -> node0.process2",
                   "node0.socket0, memory", "node0.socket1, memory"}));
  EXPECT_EQ(paths.between(Rank{0}, Rank{2}).kind, PathKind::host_memory);
  EXPECT_EQ(paths.between(Rank{0}, Rank{1}).level, PathLevel::phb);
  EXPECT_EQ(paths.between(Rank{0}, Rank{2}).level, PathLevel::sys);
}

// What another socket's process has lies in its memory.
TEST(Processes, LendToThoseOfTheirSocket) {
  const Topology topology{build_cluster(cluster_of(cpu_node(2, 2), 1))};
  const TransferPaths paths = paths_of(topology, {.lent_rate = BytesPerSecond{1e9}});

  EXPECT_GT(paths.between(Rank{0}, Rank{1}).lent_share, 0);
  EXPECT_EQ(paths.between(Rank{0}, Rank{2}).lent_share, 0);
}

TEST(Processes, WriteABufferBetweenWithTwoCopies) {
  const Topology topology{build_cluster(cluster_of(cpu_node(1, 2), 1))};
  const TransferPaths paths = paths_of(topology, {.host_copies = 2});

  EXPECT_EQ(crossed(paths, 0, 1),
            (Names{"node0.process0 -> node0.socket0", "node0.socket0 -> node0.process1",
                   "node0.socket0, memory", "node0.socket0, memory", "node0.socket0, memory",
                   "node0.socket0, memory"}));
}

TEST(Processes, LeaveTheirMemoryToTheNetworkNic) {
  const Topology topology{build_cluster(on_one_switch(cpu_node(1, 2), 2))};
  const TransferPaths paths = paths_of(topology, {.buffers = BufferPlace::host});

  EXPECT_EQ(crossed(paths, 1, 2), (Names{"node0.socket0, memory", "node0.socket0 -> node0.root0",
                                         "node0.root0 -> node0.nic0", "node0.nic0 -> switch0",
                                         "switch0 -> node1.nic0", "node1.nic0 -> node1.root0",
                                         "node1.root0 -> node1.socket0", "node1.socket0, memory"}));
  EXPECT_EQ(paths.between(Rank{1}, Rank{2}).kind, PathKind::network);
}

// One node: 4 cores of 8 GB/s, 2 * 3 S / (4 * 8). Two nodes with one process each, whose NICs are
// as fast as their PCIe cables, 10 GB/s: 2 * 1 S / (2 * 6) at the switch; no core limits it.
TEST(Processes, BoundAnAllreduceByTheirCoresWithinANode) {
  const Topology one{build_cluster(cluster_of(cpu_node(1, 4), 1))};
  const LowerBound in_node =
      allreduce_lower_bound(one, paths_of(one, {}).places(), Bytes{1'600'000'000});
  EXPECT_NEAR(in_node.time.count(), 0.3, 1e-12);
  EXPECT_EQ(in_node.reason, "the cores of 4 processes (4 x 8 GB/s)");

  NodeTypeSpec slow = cpu_node(1, 1);
  slow.sockets.front().process_cable->bandwidth = BytesPerSecond{1e9};
  const Topology two{build_cluster(on_one_switch(slow, 2))};
  const LowerBound between =
      allreduce_lower_bound(two, paths_of(two, {}).places(), Bytes{1'200'000'000});
  EXPECT_NEAR(between.time.count(), 0.2, 1e-12);
}

TEST(Processes, AreNoCompanyForGpus) {
  NodeTypeSpec both = cpu_node(1, 2);
  both.sockets.front().root_complexes.front().devices.push_back(gpus(1));
  try {
    const Topology topology{build_cluster(cluster_of(both, 1))};
    FAIL();
  } catch (const ScenarioError& error) {
    EXPECT_STREQ(error.what(),
                 "cluster test: both node0.process0 and node0.gpu0 (expected GPUs or processes, as "
                 "ranks are alike)");
  }
}

TEST(Processes, AreTheirOwnPlaceWithBuffersOnTheHost) {
  const Topology topology{build_cluster(cluster_of(cpu_node(1, 2), 1))};
  EXPECT_EQ(places_of_ranks(topology, 2, {.buffers = BufferPlace::host}),
            (std::vector{topology.vertex_of(Rank{0}), topology.vertex_of(Rank{1})}));
}

TEST(Processes, HaveNoBuffersToCopyFromAGpu) {
  const Topology topology{build_cluster(cluster_of(cpu_node(1, 2), 1))};
  EXPECT_THROW(paths_of(topology, {.buffers = BufferPlace::host_copies}), ScenarioError);
}

}  // namespace
}  // namespace ringcast
