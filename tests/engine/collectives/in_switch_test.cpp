#include <gtest/gtest.h>

#include "tests/collective_checks.hpp"
#include "tests/engine/reference/reference_transport.hpp"

namespace ringcast {
namespace {

/// Ranks on nodes of `per_node`, the last of which may have fewer, and a switch for each node, of
/// as many parts as ranks.
CollectiveOptions switched(int ranks, int per_node, std::optional<Bytes> segment_size) {
  CollectiveOptions options{{contract::ring_of_channel(ranks, 1)}, segment_size};
  for (int rank = 0; rank < ranks; ++rank) {
    options.node_of.push_back(rank / per_node);
  }
  const int nodes = (ranks + per_node - 1) / per_node;
  for (int part = 0; part < nodes * std::min(ranks, per_node); ++part) {
    options.servers.push_back(Rank{ranks + part});
  }
  return options;
}

/// Switches run the algorithm too, and have no gradients.
void check_sums(const CollectiveOptions& options, Reduction reduction, std::uint64_t elements) {
  const int ranks = options.channels.front().size();
  ReferenceTransport transport{ranks + static_cast<int>(options.servers.size()), reduction};
  transport.run([&](RankContext& self) {
    const bool contributes = index_of(self.network.rank()) < ranks;
    const Slice data = contributes
                           ? contract::hold_input(self, elements)
                           : contract::allocate(self, elements * size_of(reduction.type).count());
    make_allreduce("in-switch", options)->run({data.buffer, elements}, self);
    if (contributes) {
      contract::require_bytes(self, data, contract::expected_of(reduction, ranks, elements),
                              fmt::format("{} ranks", ranks));
    }
  });
}

// One rank, odd and prime numbers, nodes of one rank, a last node that is smaller, fewer elements
// than shards, segments of one element and of all.
TEST(InSwitchAllreduce, SumsWhereSwitchesAdd) {
  for (const auto& [ranks, per_node] :
       {std::pair{1, 1}, {2, 2}, {3, 3}, {4, 2}, {5, 2}, {6, 3}, {7, 3}, {8, 8}, {3, 1}}) {
    for (const std::uint64_t elements : {0U, 1U, 7U, 101U}) {
      for (const std::optional<Bytes> segment : {std::optional<Bytes>{}, std::optional{4_B},
                                                 std::optional{20_B}, std::optional{4_KiB}}) {
        SCOPED_TRACE(fmt::format("{} ranks, {} on a node, {} elements", ranks, per_node, elements));
        EXPECT_NO_THROW(check_sums(switched(ranks, per_node, segment),
                                   {ElementType::float32, Operation::sum}, elements));
      }
    }
  }
}

// The switches are no ranks of the average.
TEST(InSwitchAllreduce, AveragesOverTheRanksThatContribute) {
  EXPECT_NO_THROW(check_sums(switched(5, 3, 8_B), {ElementType::float64, Operation::avg}, 23));
}

// A shard of each of 4 ranks: all send it up, it goes to its owner and back, to the other three:
// 4 + 1 + 1 + 3. Without a switch the owner gets 3 and sends 3. Two nodes of 2: two halves of each
// of two shards, 2 + 1 + 1 + 1 in each node and 2 between them.
TEST(InSwitchAllreduce, CountsItsMessages) {
  CollectiveOptions options = switched(4, 4, std::nullopt);
  EXPECT_EQ(allreduce_message_count("in-switch", options, 400, 4_B), 4 * 9);
  EXPECT_EQ(allreduce_message_count("in-switch", switched(4, 2, std::nullopt), 400, 4_B),
            4 * (2 * 5 + 2));
  options.servers.clear();
  EXPECT_EQ(allreduce_message_count("in-switch", options, 400, 4_B), 4 * 6);
}

TEST(InSwitchAllreduce, RefusesAnotherNumberOfPartsOfSwitchesThanNodesHave) {
  CollectiveOptions options = switched(4, 2, std::nullopt);
  options.servers.pop_back();
  EXPECT_THROW(check_sums(options, {ElementType::float32, Operation::sum}, 8), ContractViolation);
}

}  // namespace
}  // namespace ringcast
