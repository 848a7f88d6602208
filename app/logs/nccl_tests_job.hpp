#pragma once

#include <optional>
#include <string>

#include "app/logs/nccl_tests_runs.hpp"

namespace ringcast {

/// The hardware and software of a run; empty members are not in the log.
struct NcclTestsJob {
  std::string devices;   // "8 x NVIDIA A100, 8 x NVIDIA H100 of 2 hosts"
  std::string hosts;     // "node-a and 3 others"
  std::string release;   // "NCCL 2.26"
  std::string settings;  // "agg iters: 1 graph: 0"
  /// The number of hosts, unless the log names none or ranks ran each for itself.
  std::optional<int> nodes = {};
};
/// NCCL or RCCL: rccl-tests print the table of nccl-tests.
[[nodiscard]] std::string library_of(const NcclTestsRun& run);
[[nodiscard]] NcclTestsJob job_of(const NcclTestsRun& run);

/// The members that both state and in which they differ, "8 x A100 and 8 x H100, host-a and
/// host-b".
[[nodiscard]] std::string differences(const NcclTestsJob& one, const NcclTestsJob& other);

/// Whether all rows are as sendrecv_perf prints them: busbw is algbw, and only out-of-place values
/// are checked. With two ranks, rows of an all-reduce differ only in the latter.
[[nodiscard]] bool looks_like_sendrecv(const NcclTestsRun& run);
/// Why a row is not a time of an all-reduce, "rows ..."; empty if it is.
[[nodiscard]] std::string other_collective(const NcclTestsRun& run, bool is_sendrecv,
                                           const NcclTestsRow& row);

}  // namespace ringcast
