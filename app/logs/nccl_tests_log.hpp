#pragma once

#include "app/logs/imported_log.hpp"

namespace ringcast {

/// The all-reduces in what all_reduce_perf of NVIDIA's nccl-tests (or AMD's rccl-tests) printed.
///
/// - Several runs may be in one log, of other numbers of ranks too, with any lines between theirs.
/// - The ranks are those of the "# Rank 0 ..." lines; without these, busbw/algbw gives them. Where
///   that is ambiguous, options.ranks is needed.
/// - Rows that stop in the middle, other collectives' and times of the launch alone (-C 1) beside
///   all-reduces are left out with a remark. Rows of wrong sums stay, with a remark and not
///   verified. A remark says where a row is the median of different jobs.
/// - Throws ScenarioError "FILE:LINE: ..." for rows that contradict themselves, for elements and
///   operations that ringcast does not have (unless options.skip), and "FILE: no nccl-tests rows".
[[nodiscard]] ImportedLog read_nccl_tests(const LogFile& log, const ImportOptions& options);

/// Whether a line of it could be nccl-tests'.
[[nodiscard]] bool looks_like_nccl_tests(const LogFile& log);
/// Whether a line of it is a row, where titles alone may be of another table.
[[nodiscard]] bool has_nccl_tests_rows(const LogFile& log);

}  // namespace ringcast
