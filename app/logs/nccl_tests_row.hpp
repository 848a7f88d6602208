#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/logs/log_text.hpp"
#include "engine/numbers/element.hpp"
#include "engine/numbers/units.hpp"

namespace ringcast {

/// One half of a row: a time and what nccl-tests computed from it.
struct NcclTestsTiming {
  PrintedNumber time_us;
  PrintedNumber algbw_gb;
  PrintedNumber busbw_gb;
  /// The number of wrong elements; in versions before 2022 the greatest relative error. Absent:
  /// unchecked.
  std::optional<double> wrong;
};

/// A row as src/util.cu of nccl-tests prints it (its older versions: src/common.cu).
struct NcclTestsRow {
  int line = 1;
  Bytes size;
  std::uint64_t count = 0;
  std::string type;
  std::string operation;     // empty where there is no such column
  bool has_root = false;     // as rows of rooted collectives (broadcast, reduce, ...)
  bool is_complete = false;  // false: the line is truncated; then there are no timings
  std::optional<NcclTestsTiming> out_of_place;  // none where only in-place times are printed
  NcclTestsTiming in_place;
};

/// The columns of a table, by its titles.
struct NcclTestsColumns {
  bool per_iteration = false;  // four more follow each half (nccl-tests' per-iteration report)
  bool only_in_place = false;  // one half (rccl-tests with -O 0)

  bool operator==(const NcclTestsColumns&) const = default;
};

/// The row in a line, after any prefix of a launcher; nothing if there is none.
[[nodiscard]] std::optional<NcclTestsRow> nccl_tests_row(std::span<const std::string_view> words,
                                                         const NcclTestsColumns& columns);

/// The element type of nccl-tests' `float`, `half`, ...; nothing if ringcast does not have it.
[[nodiscard]] std::optional<ElementType> nccl_tests_type(std::string_view name);
/// The size of an nccl-tests element type, supported by ringcast or not; empty for other names.
[[nodiscard]] std::optional<Bytes> nccl_tests_width(std::string_view name);

/// The numbers of ranks n for which busbw/algbw is 2(n-1)/n in each row, within the rounding of the
/// printed digits; `most` is infinite if there is no upper bound.
struct RankRange {
  double least = 1;
  double most = 1;
};
[[nodiscard]] RankRange ranks_by_bandwidths(std::span<const NcclTestsRow> rows);

/// The inconsistency in a timing of an all-reduce of `ranks`: empty, or "algbw ... is not ...".
[[nodiscard]] std::string contradiction_in(const NcclTestsRow& row, const NcclTestsTiming& timing,
                                           int ranks);

}  // namespace ringcast
