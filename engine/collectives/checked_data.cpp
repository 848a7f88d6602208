#include "engine/collectives/checked_data.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "engine/numbers/copy_bytes.hpp"
#include "engine/numbers/error.hpp"
#include "engine/numbers/mixed_bits.hpp"

namespace ringcast {
namespace {

bool is_prime(std::uint64_t number) {
  for (std::uint64_t divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) return false;
  }
  return number > 1;
}

/// The least number of places that keeps results exact and each rank's part in them visible, and a
/// prime that does not divide the number of ranks (see the header).
std::uint64_t period_of(const CheckedData& data) {
  const auto ranks = static_cast<std::uint64_t>(data.ranks);
  std::uint64_t period = 0;
  switch (data.reduction.operation) {
    case Operation::sum:
    case Operation::avg:
      period = (ranks - 1) / 32 + 1;
      break;
    case Operation::prod:
      period = (ranks - 1) / 4 + 1;
      break;
    case Operation::min:
    case Operation::max:
      period = ranks + 1;
      break;
  }
  period = std::max<std::uint64_t>(period, 7);
  while (!is_prime(period) || ranks % period == 0) {
    ++period;
  }
  return period;
}

/// Whether avg drops the rest of a division.
bool truncates(const Reduction& reduction) {
  return reduction.operation == Operation::avg &&
         (reduction.type == ElementType::int32 || reduction.type == ElementType::int64);
}

double input(const CheckedData& data, std::uint64_t rank, std::uint64_t place) {
  const double weight = place < 3 ? static_cast<double>(place) : 0.0;
  const double highest = place == 2 ? 2.0 + static_cast<double>(rank % 61) : 1.0;
  switch (data.reduction.operation) {
    case Operation::sum:
    case Operation::avg:
      return (weight + (data.ranks <= 64 ? 1.0 : 0.0)) *
             (truncates(data.reduction) ? data.ranks : 1.0);
    case Operation::prod:
      return std::exp2(weight);
    case Operation::min:
      return -highest;
    case Operation::max:
      return highest;
  }
  return 0;
}

/// One period of a rank's input in its element type.
std::vector<std::byte> one_period(const CheckedData& data, int rank) {
  const std::uint64_t period = period_of(data);
  const auto at = static_cast<std::uint64_t>(rank);
  const std::uint64_t width = size_of(data.reduction.type).count();
  std::vector<std::byte> bytes(period * width);
  for (std::uint64_t element = 0; element < period; ++element) {
    store_element(data.reduction.type, input(data, at, (at + element) % period),
                  std::span{bytes}.subspan(element * width, width));
  }
  return bytes;
}

/// The reduction of all ranks' inputs, by the reference arithmetic.
std::vector<std::byte> expected_period(const CheckedData& data) {
  std::vector<std::byte> result = one_period(data, 0);
  for (int rank = 1; rank < data.ranks; ++rank) {
    accumulate_bytes(data.reduction, result, one_period(data, rank));
  }
  finish_bytes(data.reduction, result, data.ranks);
  return result;
}

/// Calls visit(slice, bytes) for the whole buffer, block by block: periods, each of which begins at
/// another of its elements.
template <typename Visit>
void for_each_block(const CheckedData& data, const std::vector<std::byte>& period,
                    const Visit& visit) {
  const std::uint64_t width = size_of(data.reduction.type).count();
  const std::uint64_t total = data.elements * width;
  const std::uint64_t length_of_period = period.size();
  const std::uint64_t places = length_of_period / width;
  const std::uint64_t periods = std::min<std::uint64_t>(1U << 16U, total) / length_of_period + 1;
  std::vector<std::byte> twice = period;  // has a period from each of its elements on
  twice.insert(twice.end(), period.begin(), period.end());
  std::vector<std::byte> block(periods * length_of_period);
  std::uint64_t number = 0;
  for (std::uint64_t at = 0; at < total; at += block.size()) {
    for (std::uint64_t into = 0; into < block.size(); into += length_of_period) {
      const std::uint64_t first = mixed(number++) % places * width;
      copy_bytes(std::span{twice}.subspan(first, length_of_period), std::span{block}.subspan(into));
    }
    const std::uint64_t length = std::min<std::uint64_t>(block.size(), total - at);
    visit(Slice{data.buffer, Bytes{at}, Bytes{length}}, std::span{block}.first(length));
  }
}

}  // namespace

void CheckedData::fill(Memory& memory, Rank rank) const {
  for_each_block(
      *this, one_period(*this, index_of(rank)),
      [&](Slice slice, std::span<const std::byte> bytes) { memory.write(slice, bytes); });
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
