#include "engine/collectives/allreduce_algorithms.hpp"

#include <map>

#include "tests/allreduce_contract.hpp"
#include "tests/engine/reference/reference_transport.hpp"

namespace ringcast {
namespace {

const BackendUnderTest reference{"reference", [](int ranks, Reduction reduction) {
                                   return std::make_unique<ReferenceTransport>(ranks, reduction);
                                 }};

INSTANTIATE_TEST_SUITE_P(Backend, AllreduceContract,
                         ::testing::ValuesIn(every_allreduce(reference)), name_of_allreduce_case);
INSTANTIATE_TEST_SUITE_P(Backend, AllreduceReductionContract,
                         ::testing::ValuesIn(every_algorithm(reference)), name_of_algorithm_case);

const CollectiveOptions three_ranks{{RingOrder::identity(3)}, std::nullopt};

TEST(AllreduceAlgorithms, HaveTheNamesOfTheTable) {
  for (const std::string& name : allreduce_names()) {
    EXPECT_EQ(make_allreduce(name, three_ranks)->name(), name);
  }
}

TEST(AllreduceAlgorithms, SomeHaveHalves) {
  EXPECT_EQ(names_with_halves(),
            (std::vector<std::string>{"ring", "single-reducer", "parameter-server"}));
  EXPECT_EQ(make_allreduce_halves("ring", three_ranks).gather->name(), "ring-all-gather");
  EXPECT_THROW(static_cast<void>(make_allreduce_halves("tree", three_ranks)), ContractViolation);
}

TEST(AllreduceAlgorithms, SomeAreConcurrentRings) {
  const RingOrder shuffled{{Rank{1}, Rank{0}, Rank{2}}};
  const CollectiveOptions two{{RingOrder::identity(3), shuffled}, std::nullopt};
  const auto firsts = [](const std::vector<RingOrder>& rings) {
    std::vector<std::pair<int, int>> all;  // of each ring: its first two ranks
    for (const RingOrder& ring : rings) {
      all.emplace_back(index_of(ring.rank_at(0)), index_of(ring.rank_at(1)));
    }
    return all;
  };
  using Firsts = std::vector<std::pair<int, int>>;

  EXPECT_EQ(firsts(concurrent_rings("ring", two)), (Firsts{{0, 1}, {1, 0}}));
  EXPECT_EQ(firsts(concurrent_rings("two-way-ring", two)),
            (Firsts{{0, 1}, {2, 1}, {1, 0}, {2, 0}}));
  EXPECT_TRUE(concurrent_rings("hierarchical-ring", two).empty());
}

// 3 ranks and 1000 elements of 4 bytes. All-to-all: 2 buffers of 4000 bytes, or 2 x 2 segments of
// 400; the tree: the half of one, 2000 bytes, or 8 segments ahead, of which there are 5; servers
// that take all pushes at once: 2 shards, the whole buffer of one server, and half of it where each
// of two nodes has one. Nothing waits in a chain.
TEST(AllreduceAlgorithms, TakeScratch) {
  CollectiveOptions segments = three_ranks;
  segments.segment_size = 400_B;
  CollectiveOptions chain = segments;
  chain.chain_on_one_node = true;
  CollectiveOptions at_once = three_ranks;
  at_once.servers = {Rank{0}};
  at_once.serve_at_once = true;
  CollectiveOptions of_nodes = at_once;
  of_nodes.servers = {};
  of_nodes.node_of = {0, 0, 1};

  EXPECT_EQ(allreduce_scratch("ring", three_ranks, 1000, 4_B), 0_B);
  EXPECT_EQ(allreduce_scratch("all-to-all", three_ranks, 1000, 4_B), 8000_B);
  EXPECT_EQ(allreduce_scratch("all-to-all", segments, 1000, 4_B), 1600_B);
  EXPECT_EQ(allreduce_scratch("all-to-all", three_ranks, 0, 4_B), 0_B);
  EXPECT_EQ(allreduce_scratch("tree", three_ranks, 1000, 4_B), 2000_B);
  EXPECT_EQ(allreduce_scratch("tree", segments, 1000, 4_B), 2000_B);
  EXPECT_EQ(allreduce_scratch("tree", chain, 1000, 4_B), 0_B);
  EXPECT_EQ(allreduce_scratch("parameter-server", at_once, 1000, 4_B), 8000_B);
  EXPECT_EQ(allreduce_scratch("parameter-server", of_nodes, 1000, 4_B), 4000_B);
}

// Two channels of 6 ranks, on a node of 4 and one of 2. A ring: a chunk for each rank of a channel,
// 2 x 6; both ways, twice as many. The hierarchical ring: in each channel one for each rank of the
// larger node, cut into one for each node, 2 x 4 x 2. The tree: two halves of each share, 2 x 2.
// In-switch: two halves of a shard for each rank of the larger node, 2 x 4; on one node whole
// shards, 6. Halving: 2^floor(log2 6) = 4 seats. One server for each node: 2 shards. The others
// send whole buffers.
TEST(AllreduceAlgorithms, CountTheirChunks) {
  const CollectiveOptions one_node{{RingOrder::identity(6), RingOrder::identity(6)}, std::nullopt};
  CollectiveOptions two_nodes = one_node;
  two_nodes.node_of = {0, 0, 0, 0, 1, 1};
  const std::map<std::string, std::uint64_t> expected{
      {"ring", 12},      {"two-way-ring", 24},  {"hierarchical-ring", 16},
      {"tree", 4},       {"in-switch", 8},      {"recursive-halving-doubling", 4},
      {"all-to-all", 1}, {"single-reducer", 1}, {"parameter-server", 2}};
  std::map<std::string, std::uint64_t> counts;
  for (const std::string& name : allreduce_names())
    counts[name] = allreduce_chunk_count(name, two_nodes);
  EXPECT_EQ(counts, expected);
  EXPECT_EQ(allreduce_chunk_count("in-switch", one_node), 6U);
  EXPECT_EQ(allreduce_chunk_count("hierarchical-ring", one_node), 12U);
}

// The third run begins with the buffers that two had: data and one scratch.
TEST(AllreduceAlgorithms, TakeTheirScratchOnce) {
  for (const std::string& name : allreduce_names()) {
    ReferenceTransport{3, Reduction{}}.run([&](RankContext& self) {
      const BufferId data = self.memory.allocate(4000_B);
      for (int run = 0; run < 3; ++run) {
        make_allreduce(name, three_ranks)->run({data, 1000}, self);
      }
      const int others = static_cast<int>(self.memory.allocate(4_B)) - static_cast<int>(data) - 1;
      EXPECT_LE(others, 1) << name;
    });
  }
}

TEST(AllreduceAlgorithms, RefuseAnUnknownName) {
  EXPECT_THROW(static_cast<void>(make_allreduce("rign", three_ranks)), ContractViolation);
  EXPECT_THROW(static_cast<void>(allreduce_message_count("rign", three_ranks, 1, 4_B)),
               ContractViolation);
}

TEST(AllreduceAlgorithms, RefuseInvalidOptions) {
  const CollectiveOptions no_channels{{}, std::nullopt};
  const CollectiveOptions uneven{{RingOrder::identity(3), RingOrder::identity(2)}, std::nullopt};
  const CollectiveOptions no_segment{{RingOrder::identity(3)}, Bytes{0}};

  for (const std::string& name : allreduce_names()) {
    for (const CollectiveOptions& options : {no_channels, uneven, no_segment}) {
      EXPECT_THROW(static_cast<void>(make_allreduce(name, options)), ContractViolation) << name;
    }
  }
}

TEST(AllreduceAlgorithms, RefuseAJobOfOtherRanks) {
  for (const std::string& name : allreduce_names()) {
    const auto run_on_two = [&](RankContext& self) {
      make_allreduce(name, three_ranks)->run({self.memory.allocate(4_B), 1}, self);
    };

    EXPECT_THROW((ReferenceTransport{2, Reduction{}}.run(run_on_two)), ContractViolation) << name;
  }
}

}  // namespace
}  // namespace ringcast
