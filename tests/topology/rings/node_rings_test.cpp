#include "topology/rings/node_rings.hpp"

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

using namespace machines;

std::size_t rings_of(const NodeTypeSpec& type) {
  const Topology topology{build_cluster(cluster_of(type, 1))};
  const TransportProfile profile{.p2p = PathLevel::sys};
  const TransferPaths paths{topology, profile,
                            places_of_ranks(topology, topology.ranks(), profile)};
  std::vector<Rank> ranks;
  for (int rank = 0; rank < topology.ranks(); ++rank)
    ranks.push_back(Rank{rank});
  return detail::node_rings(paths, ranks).size();
}

/// Two GPUs at the root ports of each of two sockets. A GPU writes 2 GB/s to the other socket, a
/// third of the socket link: the reverse of a ring crosses it from other GPUs.
NodeTypeSpec limited_writers(bool amd) {
  NodeTypeSpec type{"node", {socket({gpus(2)}), socket({gpus(2)})}, qpi(), {}, std::nullopt};
  type.socket_cable->peer_bandwidth = BytesPerSecond{2e9};
  type.amd = amd;
  return type;
}

TEST(NodeRings, AreAlsoReversedWhereOtherGpusThenCrossTheSockets) {
  EXPECT_EQ(rings_of(limited_writers(false)), 2U);
}

TEST(NodeRings, AreEqualBetweenSocketsOfAmd) {
  EXPECT_EQ(rings_of(limited_writers(true)), 1U);
}

// RCCL lists a ring of eight MI100 in two hives and its reverse.
TEST(NodeRings, OverXgmiAreReversedBetweenSocketsOfAmd) {
  NodeTypeSpec type = limited_writers(true);
  type.nvlinks = {{0, 1, 1, cable("xgmi-mi100", 40)}, {2, 3, 1, cable("xgmi-mi100", 40)}};
  EXPECT_EQ(rings_of(type), 2U);
}

}  // namespace
}  // namespace ringcast
