#include "app/logs/nccl_tests_row.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "app/common/counted.hpp"

namespace ringcast {
namespace {

using RowWords = std::span<const std::string_view>;

struct NcclType {
  std::string_view name;
  Bytes width;
  std::optional<ElementType> ours;
};

// src/common.cu of nccl-tests, test_typenames; "char" and "int" are from before 2017.
constexpr auto types = std::to_array<NcclType>({
    {"float", 4_B, ElementType::float32},
    {"half", 2_B, ElementType::float16},
    {"bfloat16", 2_B, ElementType::bfloat16},
    {"double", 8_B, ElementType::float64},
    {"int32", 4_B, ElementType::int32},
    {"int", 4_B, ElementType::int32},
    {"int64", 8_B, ElementType::int64},
    {"int8", 1_B, std::nullopt},
    {"uint8", 1_B, std::nullopt},
    {"char", 1_B, std::nullopt},
    {"uint32", 4_B, std::nullopt},
    {"uint64", 8_B, std::nullopt},
    {"f8e4m3", 1_B, std::nullopt},
    {"f8e5m2", 1_B, std::nullopt},
    {"fp8_e4m3", 1_B, std::nullopt},
    {"fp8_e5m2", 1_B, std::nullopt},
});

const NcclType* find_type(std::string_view name) {
  const auto* const found = std::ranges::find(types, name, &NcclType::name);
  return found == types.end() ? nullptr : found;
}

/// test_opnames; "none" for collectives without a reduction.
bool is_operation(std::string_view word) {
  return operation_named(word) || word == "mulsum" || word == "none";
}

/// The numbers that the words begin with; N/A stands for one that was not measured.
std::vector<std::optional<PrintedNumber>> leading_numbers(RowWords words) {
  std::vector<std::optional<PrintedNumber>> numbers;
  for (const std::string_view word : words) {
    numbers.push_back(printed_number(word));
    if (!numbers.back() && word != "N/A") {
      numbers.pop_back();
      break;
    }
  }
  return numbers;
}

std::optional<NcclTestsTiming> timing_of(std::span<const std::optional<PrintedNumber>> numbers) {
  if (!numbers[0] || !numbers[1] || !numbers[2]) {
    return std::nullopt;
  }
  NcclTestsTiming timing{*numbers[0], *numbers[1], *numbers[2], std::nullopt};
  if (numbers[3]) {
    timing.wrong = numbers[3]->value;
  }
  return timing;
}

/// Root and timings, which follow the names.
void read_numbers(RowWords words, const NcclTestsColumns& columns, NcclTestsRow& row) {
  const std::size_t half = columns.per_iteration ? 8 : 4;
  const std::size_t before_in_place = columns.only_in_place ? 0 : half;
  const std::size_t timings = before_in_place + half;
  const bool no_root = !words.empty() && words.front() == "-1";
  const auto numbers = leading_numbers(no_root ? words.subspan(1) : words);
  std::size_t first = 0;
  if (!no_root && numbers.size() == timings + 1) {
    row.has_root = true;
    first = 1;
  }
  if (numbers.size() != timings + first) {
    return;
  }
  const std::span all{numbers};
  const auto in_place = timing_of(all.subspan(first + before_in_place));
  if (!columns.only_in_place) {
    row.out_of_place = timing_of(all.subspan(first));
  }
  if (in_place && (row.out_of_place || columns.only_in_place)) {
    row.in_place = *in_place;
    row.is_complete = true;
  }
}

double factor(double ranks) {
  return 2 * (ranks - 1) / ranks;
}

/// Solves factor = 2(n-1)/n for n.
double ranks_of_factor(double ratio) {
  return ratio < 2 ? 2 / (2 - ratio) : std::numeric_limits<double>::infinity();
}

void narrow(RankRange& range, const NcclTestsTiming& timing) {
  // printf rounds by up to half a unit of the last digit; the rest is for rounding errors here.
  constexpr double rounding = 0.5 + 1e-6;
  const double algbw_error = rounding * timing.algbw_gb.digit;
  const double busbw_error = rounding * timing.busbw_gb.digit;
  const double least_algbw = timing.algbw_gb.value - algbw_error;
  if (least_algbw <= 0) {
    return;
  }
  range.least = std::max(range.least, ranks_of_factor((timing.busbw_gb.value - busbw_error) /
                                                      (timing.algbw_gb.value + algbw_error)));
  range.most =
      std::min(range.most, ranks_of_factor((timing.busbw_gb.value + busbw_error) / least_algbw));
}

}  // namespace

std::optional<NcclTestsRow> nccl_tests_row(RowWords words, const NcclTestsColumns& columns) {
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    const auto size = whole_number(words[i]);
    const auto count = whole_number(words[i + 1]);
    if (!size || !count || find_type(words[i + 2]) == nullptr) {
      continue;
    }
    NcclTestsRow row;
    row.size = Bytes{*size};
    row.count = *count;
    row.type = words[i + 2];
    RowWords rest = words.subspan(i + 3);
    if (!rest.empty() && is_operation(rest.front())) {
      row.operation = rest.front();
      rest = rest.subspan(1);
    }
    read_numbers(rest, columns, row);
    return row;
  }
  return std::nullopt;
}

std::optional<ElementType> nccl_tests_type(std::string_view name) {
  const NcclType* const type = find_type(name);
  return type == nullptr ? std::nullopt : type->ours;
}

std::optional<Bytes> nccl_tests_width(std::string_view name) {
  const NcclType* const type = find_type(name);
  return type == nullptr ? std::nullopt : std::optional{type->width};
}

RankRange ranks_by_bandwidths(std::span<const NcclTestsRow> rows) {
  RankRange range{1, std::numeric_limits<double>::infinity()};
  for (const NcclTestsRow& row : rows) {
    if (row.out_of_place) narrow(range, *row.out_of_place);
    narrow(range, row.in_place);
  }
  return {std::ceil(range.least), std::floor(range.most)};
}

std::string contradiction_in(const NcclTestsRow& row, const NcclTestsTiming& timing, int ranks) {
  // A tolerance of a whole unit of the last digit: other programs that print this table truncate.
  const PrintedNumber& time = timing.time_us;
  const PrintedNumber& algbw = timing.algbw_gb;
  const PrintedNumber& busbw = timing.busbw_gb;
  // 1 kB/us is 1 GB/s.
  const double kilobytes = static_cast<double>(row.size.count()) / 1e3;
  const double least = kilobytes / (time.value + time.digit) - algbw.digit;
  const double most = time.value > time.digit ? kilobytes / (time.value - time.digit) + algbw.digit
                                              : std::numeric_limits<double>::infinity();
  if (algbw.value < least || algbw.value > most) {
    return fmt::format("algbw {:.6g} GB/s is not size/time, {:.6g} GB/s", algbw.value,
                       kilobytes / time.value);
  }
  const double expected = factor(ranks) * algbw.value;
  if (std::abs(busbw.value - expected) > busbw.digit + factor(ranks) * algbw.digit) {
    return fmt::format("busbw {:.6g} GB/s is not algbw x 2(n-1)/n, {:.6g} GB/s for {}", busbw.value,
                       expected, counted(ranks, "rank"));
  }
  return "";
}

}  // namespace ringcast
