#pragma once

#include <numeric>
#include <optional>

#include "engine/chunks.hpp"
#include "engine/ring_collectives.hpp"
#include "tests/transport_contract.hpp"

/// The second conformance suite: the collectives of ring_collectives.hpp on a backend, for 1 to 8
/// ranks, few and many elements, several channels, and every kind of segment. A backend
/// instantiates
/// - CollectiveContract with testing::ValuesIn(every_ranks(backend)) and name_of_ranks_case;
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

/// One way to run a collective: how much, and round which rings.
struct Shape {
  std::uint64_t elements;
  RingOptions options;
  std::string name;
};

/// Ring orders that differ from channel to channel: forwards, backwards, and, where that is a
/// permutation, in steps of two; the latter two do not begin with rank 0.
inline RingOrder ring_of_channel(int ranks, int channel) {
  const int step = channel == 1 ? ranks - 1 : 2;
  if (channel == 0 || std::gcd(step, ranks) != 1) {
    return RingOrder::identity(ranks);
  }
  std::vector<Rank> order;
  for (int place = 1; place <= ranks; ++place) {
    order.push_back(Rank{place * step % ranks});
  }
  return RingOrder{order};
}

inline RingOptions ring_options(int ranks, int channels, std::optional<Bytes> segment_size) {
  RingOptions options{{}, segment_size};
  for (int channel = 0; channel < channels; ++channel) {
    options.channels.push_back(ring_of_channel(ranks, channel));
  }
  return options;
}

/// Segments: none, of three elements (of many when there are many, or it takes for ever), and
/// larger than any chunk.
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

/// What rank `rank` puts in: small integers, so that sums are exact in any order; for products 1 or
/// 2, whose product over 8 ranks is at most 2^8.
inline double input_value(Operation operation, int rank, std::uint64_t element) {
  const int mixed = (rank * 7 + static_cast<int>(element % 1009) * 3) % 11;
  return operation == Operation::prod ? 1 + mixed % 2 : mixed - 4;
}

inline double naive_result(Operation operation, int ranks, std::uint64_t element) {
  double result = input_value(operation, 0, element);
  for (int rank = 1; rank < ranks; ++rank) {
    const double value = input_value(operation, rank, element);
    switch (operation) {
      case Operation::prod:
        result *= value;
        break;
      case Operation::min:
        result = std::min(result, value);
        break;
      case Operation::max:
        result = std::max(result, value);
        break;
      default:
        result += value;
    }
  }
  return result;
}

inline std::vector<std::byte> elements_as_bytes(ElementType type, std::uint64_t count,
                                                const std::function<double(std::uint64_t)>& value) {
  const std::size_t size = size_of(type).count();
  std::vector<std::byte> bytes(count * size);
  for (std::uint64_t i = 0; i < count; ++i) {
    store_element(type, value(i), std::span{bytes}.subspan(i * size, size));
  }
  return bytes;
}

inline std::vector<std::byte> input_of(Reduction reduction, int rank, std::uint64_t elements) {
  return elements_as_bytes(reduction.type, elements, [&](std::uint64_t i) {
    return input_value(reduction.operation, rank, i);
  });
}

/// What every rank must hold after an all-reduce: being equal to it, all are equal bit for bit.
inline std::vector<std::byte> expected_of(Reduction reduction, int ranks, std::uint64_t elements) {
  std::vector<std::byte> bytes = elements_as_bytes(reduction.type, elements, [&](std::uint64_t i) {
    return naive_result(reduction.operation, ranks, i);
  });
  finish_bytes(reduction, bytes, ranks);
  return bytes;
}

/// A new buffer with this rank's input.
inline Slice hold_input(RankContext& self, std::uint64_t elements) {
  const std::vector<std::byte> input =
      input_of(self.reducer.reduction(), index_of(self.network.rank()), elements);
  const Slice slice = allocate(self, input.size());
  self.memory.write(slice, input);
  return slice;
}

/// Compares part of a buffer with the same part of what is expected of the whole.
inline void require_bytes(RankContext& self, Slice slice, const std::vector<std::byte>& expected,
                          const std::string& shape) {
  const std::vector<std::byte> bytes = bytes_of(self, slice);
  const auto wanted = std::span{expected}.subspan(slice.offset.count(), slice.length.count());
  const auto [wrong, right] = std::ranges::mismatch(bytes, wanted);
  if (wrong == bytes.end()) {
    return;
  }
  const ElementType type = self.reducer.reduction().type;
  const std::size_t size = size_of(type).count();
  const std::size_t at = static_cast<std::size_t>(wrong - bytes.begin()) / size * size;
  throw CheckFailed{fmt::format("{}: rank {}, element {}: {} (expected {})", shape,
                                index_of(self.network.rank()), (slice.offset.count() + at) / size,
                                load_element(type, std::span{bytes}.subspan(at, size)),
                                load_element(type, wanted.subspan(at, size)))};
}

/// The chunk that reduce-scatter leaves complete on this rank, in one channel's share.
inline Slice own_chunk(RankContext& self, BufferId data, const Shape& shape, int channel) {
  const RingOrder& ring = shape.options.channels[static_cast<std::size_t>(channel)];
  const Chunks shares{{0, shape.elements}, static_cast<int>(shape.options.channels.size())};
  const Chunks chunks{shares[channel], ring.size()};
  return slice_of(data, chunks[ring.position_of(self.network.rank())],
                  size_of(self.reducer.reduction().type));
}

inline void check_allreduce(RankContext& self, const Shape& shape) {
  const std::vector<std::byte> expected =
      expected_of(self.reducer.reduction(), self.network.size(), shape.elements);
  const Slice data = hold_input(self, shape.elements);
  RingAllreduce{shape.options}.run({data.buffer, shape.elements}, self);
  require_bytes(self, data, expected, "all-reduce of " + shape.name);
}

}  // namespace contract

class CollectiveContract : public BackendTest, public testing::TestWithParam<RanksCase> {
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
  run_shapes(contract::check_allreduce);
}

TEST_P(CollectiveContract, ReduceScatterLeavesChunkPOnPositionPAndAllGatherSpreadsIt) {
  run_shapes([](RankContext& self, const contract::Shape& shape) {
    const std::vector<std::byte> expected =
        contract::expected_of(float_sum, self.network.size(), shape.elements);
    const Slice data = contract::hold_input(self, shape.elements);
    const CollectiveRequest request{data.buffer, shape.elements};

    RingReduceScatter{shape.options}.run(request, self);
    for (int channel = 0; channel < static_cast<int>(shape.options.channels.size()); ++channel) {
      contract::require_bytes(self, contract::own_chunk(self, data.buffer, shape, channel),
                              expected, "reduce-scatter of " + shape.name);
    }

    RingAllGather{shape.options}.run(request, self);
    contract::require_bytes(self, data, expected, "all-gather of " + shape.name);
  });
}

TEST_P(CollectiveContract, BroadcastLeavesTheBufferOfEveryRootOnEveryRank) {
  run_shapes([](RankContext& self, const contract::Shape& shape) {
    const Slice data = contract::hold_input(self, shape.elements);
    const std::vector<std::byte> mine = contract::bytes_of(self, data);
    for (int root = 0; root < self.network.size(); ++root) {
      self.memory.write(data, mine);
      RingBroadcast{shape.options, Rank{root}}.run({data.buffer, shape.elements}, self);
      contract::require_bytes(self, data, contract::input_of(float_sum, root, shape.elements),
                              fmt::format("broadcast from {} of {}", root, shape.name));
    }
  });
}

/// Sums that round: their bits depend on the order, which is the ring's, and on nothing else.
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
      RingAllreduce{shape.options}.run(request, self);
      const std::vector<std::byte> sums = contract::bytes_of(self, data);
      contract::require(repetition == 0 || sums == before, "repetition {} differs", repetition);
      before = sums;
    }

    RingBroadcast{shape.options, contract::first}.run(request, self);
    contract::require(contract::bytes_of(self, data) == before, "rank 0 has other bits");
  });
}

class CollectiveReductionContract : public BackendTest,
                                    public testing::TestWithParam<ReductionCase> {};

TEST_P(CollectiveReductionContract, AllreduceCombinesEveryTypeByEveryOperation) {
  constexpr int ranks = 3;
  const Reduction reduction = GetParam().reduction;
  run(GetParam().backend, ranks, reduction, [&](RankContext& self) {
    for (const std::uint64_t elements : {std::uint64_t{2}, std::uint64_t{101}}) {
      for (const int channels : {1, 2}) {
        const Bytes segment = 5 * size_of(reduction.type);
        contract::check_allreduce(self,
                                  {elements, contract::ring_options(ranks, channels, segment),
                                   fmt::format("{} elements, {} channels", elements, channels)});
      }
    }
  });
}

}  // namespace ringcast
