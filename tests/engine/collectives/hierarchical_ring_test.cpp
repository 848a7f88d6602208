#include <gtest/gtest.h>

#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/schedule/node_groups.hpp"
#include "tests/collective_checks.hpp"
#include "tests/engine/reference/reference_transport.hpp"

namespace ringcast {
namespace {

constexpr Reduction grouped_float_avg{ElementType::float32, Operation::avg};

TEST(NodeGroups, KeepTheOrderOfTheRing) {
  const RingOrder order{{Rank{3}, Rank{0}, Rank{4}, Rank{1}, Rank{2}}};
  const NodeGroups groups{order, {7, 7, 9, 9, 5}};

  ASSERT_EQ(groups.count(), 3);
  EXPECT_EQ(groups.widest(), 2);
  EXPECT_EQ(groups.ranks_of(0)[0], Rank{3});
  EXPECT_EQ(groups.ranks_of(0)[1], Rank{2});
  EXPECT_EQ(groups.ranks_of(1)[0], Rank{0});
  EXPECT_EQ(groups.ranks_of(1)[1], Rank{1});
  EXPECT_EQ(groups.ranks_of(2)[0], Rank{4});
  EXPECT_EQ(groups.place_of(Rank{2}).node, 0);
  EXPECT_EQ(groups.place_of(Rank{2}).position, 1);
}

TEST(NodeGroups, AreOneWithoutNodes) {
  const NodeGroups groups{RingOrder::identity(4), {}};

  EXPECT_EQ(groups.count(), 1);
  EXPECT_EQ(groups.widest(), 4);
}

TEST(NodeGroups, RefuseTheNodesOfOtherRanks) {
  EXPECT_THROW((NodeGroups{RingOrder::identity(4), {0, 1}}), ContractViolation);
}

/// Every way to put ranks on nodes: a rank is on a node that is in use, or on the next.
std::vector<std::vector<int>> every_placement(int ranks) {
  std::vector<std::vector<int>> all{{}};
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& nodes : all) {
      const int used = nodes.empty() ? 0 : *std::ranges::max_element(nodes) + 1;
      for (int node = 0; node <= used; ++node) {
        longer.push_back(nodes);
        longer.back().push_back(node);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::vector<contract::Shape> shapes_of(int ranks) {
  std::vector<contract::Shape> shapes;
  for (const std::vector<int>& nodes : every_placement(ranks)) {
    for (const std::uint64_t elements : {0U, 1U, 5U, 53U}) {
      contract::Shape shape{
          elements, contract::ring_options(ranks, 2, Bytes{12}),
          fmt::format("{} elements on nodes {}", elements, fmt::join(nodes, " "))};
      shape.options.node_of = nodes;
      shapes.push_back(std::move(shape));
    }
  }
  return shapes;
}

// 203 placements of 6 ranks; avg, so that a sum that is finished twice, or never, is wrong.
TEST(HierarchicalRing, SumsHoweverTheRanksAreOnNodes) {
  for (int ranks = 1; ranks <= 6; ++ranks) {
    const std::vector<contract::Shape> shapes = shapes_of(ranks);
    ReferenceTransport{ranks, grouped_float_avg}.run([&](RankContext& self) {
      for (const contract::Shape& shape : shapes) {
        contract::check_allreduce(self, "hierarchical-ring", shape);
      }
    });
  }
}

TEST(HierarchicalRing, CountsTheMessagesOfUnequalNodes) {
  // Two channels of 24 elements, nodes of 3 and 1 ranks, segments of 4 elements. Inside the node of
  // 3: twice 3 ranks x 2 steps of a chunk of 8 elements, two segments: 24. Across: three rings of 2
  // ranks, each rank 2 steps of 4 elements, one segment: 12.
  const CollectiveOptions options{
      {RingOrder::identity(4), RingOrder::identity(4)}, Bytes{16}, {0, 0, 0, 1}};

  EXPECT_EQ(allreduce_message_count("hierarchical-ring", options, 48, 4_B), 2 * (24 + 12));
}

// One element: chunk 0 has it. Inside the nodes of 3 ranks it makes 2 x 2 hops in each; across, 2
// x 1.
TEST(HierarchicalRing, CountsNoMessagesOfEmptyChunks) {
  const CollectiveOptions options{{RingOrder::identity(6)}, std::nullopt, {0, 0, 0, 1, 1, 1}};

  EXPECT_EQ(allreduce_message_count("hierarchical-ring", options, 1, 4_B), 2 * 4 + 2);
  EXPECT_EQ(allreduce_message_count("hierarchical-ring", options, 0, 4_B), 0);
}

}  // namespace
}  // namespace ringcast
