#pragma once

#include "engine/collectives/algorithms.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/schedule/chunks.hpp"
#include "tests/collective_checks.hpp"
#include "tests/transport_contract.hpp"

/// The second conformance suite: the ring collectives on a backend, for 1 to 8 ranks, few and many
/// elements, several channels, and every kind of segment (all all-reduces: allreduce_contract.hpp).
/// A backend instantiates
/// - CollectiveContract with ::testing::ValuesIn(every_ranks(backend)) and name_of_ranks_case;
/// - CollectiveReductionContract with every_reduction(backend) or, where processes are dear,
///   some_reductions(backend), and name_of_reduction_case.
namespace ringcast {

struct RanksCase {
  BackendUnderTest backend;
  int ranks;
};
inline std::ostream& operator<<(std::ostream& out, const RanksCase& ranks_case) {
  return out << ranks_case.backend << ' ' << ranks_case.ranks << " ranks";
}
inline const auto name_of_ranks_case = [](const auto& test) {
  return fmt::format("{}_{}ranks", test.param.backend.name, test.param.ranks);
};
inline std::vector<RanksCase> every_ranks(const BackendUnderTest& backend) {
  std::vector<RanksCase> cases;
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8}) {
    cases.push_back({backend, ranks});
  }
  return cases;
}

/// Every type with avg, which is sum and a division; every operation on a float and on an integer.
inline std::vector<ReductionCase> some_reductions(const BackendUnderTest& backend) {
  std::vector<ReductionCase> cases;
  for (const ReductionCase& candidate : every_reduction(backend)) {
    const auto [type, operation] = candidate.reduction;
    if (operation == Operation::avg || type == ElementType::float16 || type == ElementType::int64) {
      cases.push_back(candidate);
    }
  }
  return cases;
}

namespace contract {

/// Segments: none, of three elements (of more for many elements, to limit the time), and larger
/// than any chunk.
inline std::vector<Shape> shapes(int ranks, Bytes element_size) {
  std::vector<Shape> shapes;
  const auto n = static_cast<std::uint64_t>(ranks);
  for (const std::uint64_t elements : {std::uint64_t{0}, std::uint64_t{1}, n - 1, n, n + 1,
                                       std::uint64_t{101}, std::uint64_t{1001}}) {
    const std::uint64_t tiny = elements > 101 ? 17 : 3;
    for (const int channels : {1, 2, 3}) {
      for (const std::uint64_t segment : {std::uint64_t{0}, tiny, std::uint64_t{4000}}) {
        const auto segment_size =
            segment == 0 ? std::nullopt : std::optional{segment * element_size};
        shapes.push_back({elements, ring_options(ranks, channels, segment_size),
                          fmt::format("{} ranks, {} elements, {} channels, segments of {}", ranks,
                                      elements, channels, segment)});
      }
    }
  }
  return shapes;
}

/// The chunk that reduce-scatter leaves complete on this rank, in one channel's share.
inline Slice own_chunk(RankContext& self, BufferId data, const Shape& shape, int channel) {
  const RingOrder& ring = shape.options.channels[static_cast<std::size_t>(channel)];
  const Chunks shares{{0, shape.elements}, static_cast<int>(shape.options.channels.size())};
  const Chunks chunks{shares[channel], ring.size()};
  return slice_of(data, chunks[ring.position_of(self.network.rank())],
                  size_of(self.reducer.reduction().type));
}

}  // namespace contract

class CollectiveContract : public BackendTest, public ::testing::TestWithParam<RanksCase> {
 protected:
  static constexpr Reduction float_sum{ElementType::float32, Operation::sum};

  static void run_shapes(const std::function<void(RankContext&, const contract::Shape&)>& check) {
    const int ranks = GetParam().ranks;
    const auto shapes = contract::shapes(ranks, size_of(float_sum.type));
    run(GetParam().backend, ranks, float_sum, [&](RankContext& self) {
      for (const contract::Shape& shape : shapes) {
        check(self, shape);
      }
    });
  }
};

TEST_P(CollectiveContract, AllreduceLeavesTheNaiveSumOnEveryRank) {
  run_shapes([](RankContext& self, const contract::Shape& shape) {
    contract::check_allreduce(self, "ring", shape);
  });
}

TEST_P(CollectiveContract, ReduceScatterLeavesChunkPOnPositionPAndAllGatherSpreadsIt) {
  run_shapes([](RankContext& self, const contract::Shape& shape) {
    const std::vector<std::byte> expected =
        contract::expected_of(float_sum, self.network.size(), shape.elements);
    const Slice data = contract::hold_input(self, shape.elements);
    const CollectiveRequest request{data.buffer, shape.elements};

    make_allreduce_halves("ring", shape.options).reduce->run(request, self);
    for (int channel = 0; channel < static_cast<int>(shape.options.channels.size()); ++channel) {
      contract::require_bytes(self, contract::own_chunk(self, data.buffer, shape, channel),
                              expected, "reduce-scatter of " + shape.name);
    }

    make_allreduce_halves("ring", shape.options).gather->run(request, self);
    contract::require_bytes(self, data, expected, "all-gather of " + shape.name);
  });
}

/// Every root with every number of elements; several channels and segments from one of them.
TEST_P(CollectiveContract, BroadcastLeavesTheBufferOfEveryRootOnEveryRank) {
  run_shapes([](RankContext& self, const contract::Shape& shape) {
    const Slice data = contract::hold_input(self, shape.elements);
    const std::vector<std::byte> mine = contract::bytes_of(self, data);
    const int ranks = self.network.size();
    const bool plain = shape.options.channels.size() == 1 && !shape.options.segment_size;
    const int one = static_cast<int>(shape.elements % static_cast<std::uint64_t>(ranks));
    for (int root = plain ? 0 : one; root < (plain ? ranks : one + 1); ++root) {
      self.memory.write(data, mine);
      make_ring_broadcast(shape.options, Rank{root})->run({data.buffer, shape.elements}, self);
      contract::require_bytes(self, data, contract::input_of(float_sum, root, shape.elements),
                              fmt::format("broadcast from {} of {}", root, shape.name));
    }
  });
}

/// Sums that round: their bits depend only on the order of additions, which is that of the ring.
TEST_P(CollectiveContract, RepeatedAllreducesGiveTheSameBitsOnEveryRank) {
  constexpr std::uint64_t elements = 1001;
  const int ranks = GetParam().ranks;
  const contract::Shape shape{elements, contract::ring_options(ranks, 2, Bytes{68}), "rounding"};

  run(GetParam().backend, ranks, float_sum, [&](RankContext& self) {
    const auto seed = static_cast<std::uint64_t>(index_of(self.network.rank())) + 1;
    const Slice data = contract::allocate(self, elements * 4);
    const CollectiveRequest request{data.buffer, elements};
    std::vector<std::byte> before;
    for (int repetition = 0; repetition < 3; ++repetition) {
      self.memory.write(data, contract::varied_elements(float_sum.type, elements, seed));
      make_allreduce("ring", shape.options)->run(request, self);
      const std::vector<std::byte> sums = contract::bytes_of(self, data);
      contract::require(repetition == 0 || sums == before, "repetition {} differs", repetition);
      before = sums;
    }

    make_ring_broadcast(shape.options, contract::first)->run(request, self);
    contract::require(contract::bytes_of(self, data) == before, "rank 0 has other bits");
  });
}

class CollectiveReductionContract : public BackendTest,
                                    public ::testing::TestWithParam<ReductionCase> {};

TEST_P(CollectiveReductionContract, AllreduceCombinesEveryTypeByEveryOperation) {
  constexpr int ranks = 3;
  const Reduction reduction = GetParam().reduction;
  run(GetParam().backend, ranks, reduction, [&](RankContext& self) {
    for (const std::uint64_t elements : {std::uint64_t{2}, std::uint64_t{101}}) {
      for (const int channels : {1, 2}) {
        const Bytes segment = 5 * size_of(reduction.type);
        contract::check_allreduce(self, "ring",
                                  {elements, contract::ring_options(ranks, channels, segment),
                                   fmt::format("{} elements, {} channels", elements, channels)});
      }
    }
  });
}

}  // namespace ringcast
