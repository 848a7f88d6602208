#include "engine/collectives/checked_data.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// The inputs are periodic along the buffer and along the ranks; within one period three values
/// differ from the rest (two, for prod). The period grows with the number of ranks so that a sum
/// has at most 32 periods and is at most 32 * (1 + 2) = 96: exact in bfloat16, which has 8
/// significant bits. A product has one period only: at most 2 * 2.
std::uint64_t period_of(const CheckedData& data) {
  const auto ranks = static_cast<std::uint64_t>(data.ranks);
  constexpr std::uint64_t shortest = 7;
  const std::uint64_t periods = data.reduction.operation == Operation::prod ? 1 : 32;
  return std::max(shortest, (ranks - 1) / periods + 1);
}

/// The pattern is shifted by element and by rank: ranks differ at each element, and a misplaced
/// chunk is detected.
double input(const CheckedData& data, std::uint64_t rank, std::uint64_t element) {
  const std::uint64_t place = (rank + element) % period_of(data);
  if (data.reduction.operation == Operation::prod) {
    return place < 2 ? 2.0 : 1.0;
  }
  return place < 3 ? static_cast<double>(place) : 0.0;
}

/// One period of a buffer in its element type, each element as `value(element)` gives it.
template <typename Value>
std::vector<std::byte> one_period(const CheckedData& data, const Value& value) {
  const std::uint64_t period = period_of(data);
  const std::uint64_t width = size_of(data.reduction.type).count();
  std::vector<std::byte> bytes(period * width);
  for (std::uint64_t element = 0; element < period; ++element) {
    store_element(data.reduction.type, value(element),
                  std::span{bytes}.subspan(element * width, width));
  }
  return bytes;
}

/// The reduction of all ranks' inputs, by the reference arithmetic.
std::vector<std::byte> expected_period(const CheckedData& data) {
  std::vector<std::byte> result =
      one_period(data, [&](std::uint64_t element) { return input(data, 0, element); });
  for (int rank = 1; rank < data.ranks; ++rank) {
    accumulate_bytes(data.reduction, result, one_period(data, [&](std::uint64_t element) {
                       return input(data, static_cast<std::uint64_t>(rank), element);
                     }));
  }
  finish_bytes(data.reduction, result, data.ranks);
  return result;
}

/// Calls visit(slice, bytes of one period) for the whole buffer, a number of periods at a time.
template <typename Visit>
void for_each_block(const CheckedData& data, const std::vector<std::byte>& period,
                    const Visit& visit) {
  const std::uint64_t total = data.elements * size_of(data.reduction.type).count();
  std::vector<std::byte> block = period;
  while (block.size() < (1U << 16U)) {
    block.insert(block.end(), period.begin(), period.end());
  }
  for (std::uint64_t at = 0; at < total; at += block.size()) {
    const std::uint64_t length = std::min<std::uint64_t>(block.size(), total - at);
    visit(Slice{data.buffer, Bytes{at}, Bytes{length}}, std::span{block}.first(length));
  }
}

}  // namespace

void CheckedData::fill(Memory& memory, Rank rank) const {
  const auto me = static_cast<std::uint64_t>(index_of(rank));
  const auto period =
      one_period(*this, [&](std::uint64_t element) { return input(*this, me, element); });
  for_each_block(*this, period, [&](Slice slice, std::span<const std::byte> bytes) {
    memory.write(slice, bytes);
  });
}

void CheckedData::verify_allreduce(const Memory& memory, Rank rank) const {
  const std::uint64_t width = size_of(reduction.type).count();
  std::vector<std::byte> found;
  for_each_block(
      *this, expected_period(*this), [&](Slice slice, std::span<const std::byte> expected) {
        found.resize(expected.size());
        memory.read(slice, found);
        const auto [wrong, right] = std::mismatch(found.begin(), found.end(), expected.begin());
        if (wrong == found.end()) {
          return;
        }
        const std::uint64_t at = static_cast<std::uint64_t>(wrong - found.begin()) / width * width;
        throw WrongResult{fmt::format(
            "rank {}, element {}: {} (expected {})", index_of(rank),
            (slice.offset.count() + at) / width,
            load_element(reduction.type, std::span<const std::byte>{found}.subspan(at, width)),
            load_element(reduction.type, expected.subspan(at, width)))};
      });
}

}  // namespace ringcast
