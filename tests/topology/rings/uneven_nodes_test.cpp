// NCCL's rings over nodes of several types.
#include <vector>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/rings/channel_rings.hpp"
#include "topology/rings/job_nodes.hpp"
#include "topology/rings/ring_load.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

using namespace machines;

/// A PCIe switch at each of two sockets, with two GPUs and `far` GPUs, and a NIC at the first.
NodeTypeSpec switch_at_each_socket(int far = 2) {
  return {"node",
          {socket({switches(1, {gpus(2)}), nics(1)}), socket({switches(1, {gpus(far)})})},
          qpi(),
          {},
          std::nullopt};
}

ClusterSpec one_and_others(const NodeTypeSpec& first, NodeTypeSpec second, int seconds) {
  second.name = "of another name";
  ClusterSpec spec = on_one_switch(first, 1);
  spec.node_types.push_back(second);
  spec.nodes.push_back({second.name, seconds});
  return spec;
}

/// The bus bandwidth of a job on a node of the first type and `seconds` nodes of the other, GB/s.
double busbw_of_two_types(const NodeTypeSpec& first, const NodeTypeSpec& second, int seconds = 1) {
  TransportProfile profile;
  profile.p2p = PathLevel::pxb;
  profile.gdr = PathLevel::pxb;
  const Topology topology{build_cluster(one_and_others(first, second, seconds))};
  const TransferPaths paths{topology, profile,
                            places_of_ranks(topology, topology.ranks(), profile)};
  return ring_bottleneck(paths, channel_rings(paths))->busbw.value() / 1e9;
}

// Past a root complex messages are staged in host memory. In the order 0 1 2 3, or backwards, the
// cable of a switch carries one such message each way, as do the NIC and QPI (6 GB/s). A ring that
// enters at GPU 0 and leaves at GPU 1 has two of them on the cable of 10 GB/s: 5 GB/s.
TEST(UnevenNodes, TakeTheFastestPathAlsoBackwards) {
  NodeTypeSpec other = switch_at_each_socket();
  other.sockets.front().memory = BytesPerSecond{1000e9};
  EXPECT_NEAR(busbw_of_two_types(switch_at_each_socket(), other), 6, 1e-9);
  EXPECT_NEAR(busbw_of_two_types(other, switch_at_each_socket()), 6, 1e-9);
}

// The same holds beside a node of fewer GPUs: a path between the two GPUs near the NIC is no
// better.
TEST(UnevenNodes, LeaveFarFromTheNicWhereThatIsFaster) {
  EXPECT_NEAR(busbw_of_two_types(switch_at_each_socket(), switch_at_each_socket(1), 2), 6, 1e-9);
}

TEST(UnevenNodes, AreThoseWhoseGpusReadStagedDataAtOtherRates) {
  NodeTypeSpec slow = switch_at_each_socket();
  slow.sockets.front().staging_bandwidth = BytesPerSecond{4e9};
  const Topology topology{build_cluster(one_and_others(switch_at_each_socket(), slow, 2))};
  const TransferPaths paths{topology, {}, places_of_ranks(topology, topology.ranks(), {})};
  std::vector<int> shapes;
  for (const detail::JobNode& node : detail::job_nodes(paths))
    shapes.push_back(node.shape);
  EXPECT_EQ(shapes, (std::vector{0, 1, 1}));
}

TEST(UnevenNodes, AreEvenIfOnlyTheNamesOfTheirTypesDiffer) {
  EXPECT_NEAR(busbw_of_two_types(switch_at_each_socket(), switch_at_each_socket()), 6, 1e-9);
}

}  // namespace
}  // namespace ringcast
