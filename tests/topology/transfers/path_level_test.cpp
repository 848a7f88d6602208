#include "topology/transfers/path_level.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/transfers/rank_places.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {
namespace {

using namespace machines;

PathLevel level(const Topology& topology, int a, int b) {
  return level_between(topology, topology.vertex_of(Rank{a}), topology.vertex_of(Rank{b}));
}

TEST(PathLevel, IsThatOfNvidiaSmi) {
  // Two GPUs to a switch, two switches to a socket.
  const Topology two_sockets{build_cluster(cluster_of(dual_root(), 1))};
  EXPECT_EQ(level(two_sockets, 0, 1), PathLevel::pix);
  EXPECT_EQ(level(two_sockets, 0, 2), PathLevel::phb);
  EXPECT_EQ(level(two_sockets, 0, 4), PathLevel::sys);
  EXPECT_EQ(level(Topology{build_cluster(cluster_of(dgx2(), 1))}, 0, 15), PathLevel::nvl);

  NodeTypeSpec nested = dual_root();
  nested.sockets = {socket({switches(1, {switches(2, {gpus(1)})})})};
  const Topology below_one_root{build_cluster(cluster_of(nested, 1))};
  EXPECT_EQ(level(below_one_root, 0, 1), PathLevel::pxb);
  nested.sockets = {socket({switches(1, {gpus(1), switches(1, {gpus(1)})})})};
  EXPECT_EQ(level(Topology{build_cluster(cluster_of(nested, 1))}, 0, 1), PathLevel::pxb);
}

TEST(PathLevel, OfGdrPastARootComplexIsAtLeastThatOfOne) {
  EXPECT_EQ(gdr_level(PathLevel::pxb, true), PathLevel::phb);
  EXPECT_EQ(gdr_level(PathLevel::sys, true), PathLevel::sys);
  EXPECT_EQ(gdr_level(PathLevel::pxb, false), PathLevel::pxb);
  EXPECT_EQ(gdr_level(std::nullopt, true), std::nullopt);
}

/// The level of the first GPU and the first NIC.
PathLevel nic_level_in(const NodeTypeSpec& type, bool boards_have_switches = true) {
  const Topology topology{build_cluster(cluster_of(type, 1))};
  const std::vector<Vertex>& vertices = topology.cluster().vertices;
  const auto nic = std::ranges::find(vertices, VertexKind::nic, &Vertex::kind);
  return nic_level(topology, topology.vertex_of(Rank{0}), static_cast<int>(nic - vertices.begin()),
                   boards_have_switches);
}

TEST(PathLevel, OfANicIsNearOverNvlinkC2c) {
  NodeTypeSpec type = least();
  EXPECT_EQ(nic_level_in(type), PathLevel::phb);
  type.sockets.front().root_complexes.front().devices.front().cable.base_class = "nvlink-c2c";
  EXPECT_EQ(nic_level_in(type), PathLevel::pxb);
}

TEST(PathLevel, OfANicBesideABoardOfNvlinkedGpusIsNear) {
  NodeTypeSpec type = least();
  type.sockets = {socket({gpus(3), nics(1)})};
  const CableSpec nvlink = cable("nvlink-3.0", 20, 0.5);
  type.nvlinks = {{0, 1, 2, nvlink}, {1, 0, 2, nvlink}};
  EXPECT_EQ(nic_level_in(type), PathLevel::phb);  // a bridge
  type.nvlinks.push_back({0, 2, 2, nvlink});
  EXPECT_EQ(nic_level_in(type), PathLevel::pxb);
  EXPECT_EQ(nic_level_in(type, false), PathLevel::phb);

  type.nvlinks.clear();
  type.nvswitch = NvswitchSpec{12, nvlink};
  EXPECT_EQ(nic_level_in(type), PathLevel::pxb);
  type.sockets = {{1, {{1, std::nullopt, {gpus(3)}}, {1, std::nullopt, {nics(1)}}}}};
  EXPECT_EQ(nic_level_in(type), PathLevel::phb);  // at another root complex
}

// NCCL's exception for hosts of AMD: GPUs 0 and 4 of two sockets are a pair, with GPU 1 no more.
// Before 2.23 there was no such limit, and RCCL has none.
TEST(PathLevel, AllowsP2pBetweenTwoGpusOfAnAmdHost) {
  TransportProfile nccl{.p2p = PathLevel::pxb, .p2p_amd_pairs = PathLevel::sys};
  const auto kind = [&](bool amd, const std::vector<std::size_t>& gpus) {
    NodeTypeSpec type = dual_root();
    type.amd = amd;
    const Topology topology{build_cluster(cluster_of(type, 1))};
    const std::vector<int> all = places_of_ranks(topology, topology.ranks(), nccl);
    std::vector<int> places;
    for (const std::size_t gpu : gpus)
      places.push_back(all[gpu]);
    return TransferPaths{topology, nccl, places}.between(Rank{0}, Rank{1}).kind;
  };
  EXPECT_EQ(kind(true, {0, 4}), PathKind::p2p);
  EXPECT_EQ(kind(true, {0, 4, 1}), PathKind::staged);
  EXPECT_EQ(kind(false, {0, 4}), PathKind::staged);
  nccl.tuner = Tuner::rccl;
  EXPECT_EQ(kind(true, {0, 4, 1}), PathKind::p2p);
  nccl.tuner = Tuner::nccl;
  EXPECT_EQ(kind(true, {0, 4, 1}), PathKind::staged);
  nccl.nccl_version = {2, 23};
  EXPECT_EQ(kind(true, {0, 4, 1}), PathKind::staged);
  nccl.nccl_version = {2, 22};
  EXPECT_EQ(kind(true, {0, 4, 1}), PathKind::p2p);
  EXPECT_EQ(kind(false, {0, 4}), PathKind::staged);
}

}  // namespace
}  // namespace ringcast
