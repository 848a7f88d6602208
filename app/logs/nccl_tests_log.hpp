#pragma once

#include "app/logs/imported_log.hpp"

namespace ringcast {

/// The all-reduces in the output of all_reduce_perf of NVIDIA's nccl-tests (or AMD's rccl-tests).
///
/// - A log may contain several runs, with different numbers of ranks, and any lines between them.
/// - The ranks are those of the "# Rank 0 ..." lines; without these, those of the communicators
///   that NCCL_DEBUG=INFO reports; without these, they follow from busbw/algbw. If that is
///   ambiguous, options.ranks is needed.
/// - Left out with a remark: incomplete rows, and next to all-reduces rows of other collectives and
///   times of the launch only (-C 1). Rows with wrong sums are kept, with a remark and not
///   verified. A row that is the median of different jobs gets a remark, and so do times of grouped
///   all-reduces (-m) and of CUDA graphs (-G).
/// - NCCL's variables, which NCCL_DEBUG=INFO prints, are a remark (note_environment()).
/// - Throws ScenarioError "FILE:LINE: ..." for rows that contradict themselves, for elements and
///   operations that ringcast does not have (unless options.skip), and "FILE: no nccl-tests rows".
[[nodiscard]] ImportedLog read_nccl_tests(const LogFile& log, const ImportOptions& options);

/// Whether the log has a line as nccl-tests prints it.
[[nodiscard]] bool looks_like_nccl_tests(const LogFile& log);
/// Whether the log has a row of nccl-tests; titles alone may be those of another table.
[[nodiscard]] bool has_nccl_tests_rows(const LogFile& log);

}  // namespace ringcast
