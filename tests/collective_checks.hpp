#pragma once

#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/collectives/allreduce_algorithms.hpp"
#include "tests/backend_under_test.hpp"

/// Shared by the suites on collectives: ring orders, inputs with a known result, and the check.
namespace ringcast::contract {

/// A case of a collective: its size and ring orders.
struct Shape {
  std::uint64_t elements;
  CollectiveOptions options;
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

inline CollectiveOptions ring_options(int ranks, int channels, std::optional<Bytes> segment_size) {
  CollectiveOptions options{{}, segment_size};
  for (int channel = 0; channel < channels; ++channel) {
    options.channels.push_back(ring_of_channel(ranks, channel));
  }
  return options;
}

/// The input of rank `rank`: small integers, so that sums are exact in any order; for products 1 or
/// 2, whose product over 9 ranks is at most 2^9.
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

/// The expected result of an all-reduce on every rank, bit for bit.
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

/// Compares a part of a buffer with the same part of the expected buffer.
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

inline void check_allreduce(RankContext& self, const std::string& algorithm, const Shape& shape) {
  const std::vector<std::byte> expected =
      expected_of(self.reducer.reduction(), self.network.size(), shape.elements);
  const Slice data = hold_input(self, shape.elements);
  make_allreduce(algorithm, shape.options)->run({data.buffer, shape.elements}, self);
  require_bytes(self, data, expected, fmt::format("{} all-reduce of {}", algorithm, shape.name));
}

/// The phases, one after the other, have the result of the whole all-reduce.
inline void check_halves(RankContext& self, const std::string& algorithm, const Shape& shape) {
  const std::vector<std::byte> expected =
      expected_of(self.reducer.reduction(), self.network.size(), shape.elements);
  const Slice data = hold_input(self, shape.elements);
  const AllreduceHalves halves = make_allreduce_halves(algorithm, shape.options);
  halves.reduce->run({data.buffer, shape.elements}, self);
  halves.gather->run({data.buffer, shape.elements}, self);
  require_bytes(self, data, expected, fmt::format("halves of {}, {}", algorithm, shape.name));
}

}  // namespace ringcast::contract
