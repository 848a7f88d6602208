#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/logs/nccl_tests_log.hpp"
#include "tests/refusal.hpp"

namespace ringcast {

/// 4 GPUs of two nodes; 1 MiB in 100 us: algbw 1048576/100 = 10486 MB/s, x 2 x 3/4 = 15.73 GB/s;
/// in place 80 us: 13.11 and 19.66 GB/s.
inline constexpr std::string_view begin_of_four =
    "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 2097152 step: 2(factor) warmup iters: 5 iters: "
    "20 agg iters: 1 validation: 1 graph: 0\n"
    "#\n"
    "# Using devices\n"
    "#  Rank  0 Group  0 Pid   1001 on     red-01 device  0 [0000:04:00] NVIDIA L4\n"
    "#  Rank  1 Group  0 Pid   1002 on     red-01 device  1 [0000:05:00] NVIDIA L4\n"
    "#  Rank  2 Group  0 Pid   2001 on     red-02 device  0 [0000:04:00] NVIDIA L4\n"
    "#  Rank  3 Group  0 Pid   2002 on     red-02 device  1 [0000:05:00] NVIDIA L4\n"
    "#\n"
    "#                                                              out-of-place               "
    "        in-place          \n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time "
    "  algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us) "
    " (GB/s)  (GB/s)       \n";
inline constexpr std::string_view row_of_four =
    "     1048576        262144     float     sum      -1   100.00   10.49   15.73      0    80.00 "
    "  13.11   19.66      0\n";
inline constexpr std::string_view second_row_of_four =
    "     2097152        524288     float     sum      -1   200.00   10.49   15.73      0   160.00 "
    "  13.11   19.66      0\n";
inline constexpr std::string_view end_of_run =
    "# Out of bounds values : 0 OK\n"
    "# Avg bus bandwidth    : 17.695 \n"
    "#\n";

inline std::string log_text(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    text += part;
  }
  return text;
}

/// `text` with its first `original` replaced.
inline std::string changed(std::string_view text, std::string_view original,
                           std::string_view replacement) {
  std::string result{text};
  return result.replace(result.find(original), original.size(), replacement);
}

/// The log as read; what is said where it is refused.
inline ImportedLog read_nccl_text(const std::string& text, const ImportOptions& options = {}) {
  return read_nccl_tests(log_of("m.log", text), options);
}
inline std::string nccl_refusal(const std::string& text, const ImportOptions& options = {}) {
  return refusal_of([&] { return read_nccl_text(text, options); });
}

/// The row of 1 MiB as all_gather_perf has it: no reduction, busbw of (n-1)/n.
inline constexpr std::string_view row_of_gather =
    "     1048576        262144     float    none      -1   100.00   10.49    7.86      0    80.00 "
    "  13.11    9.83      0\n";

inline std::string run_of_four() {
  return log_text({begin_of_four, row_of_four, second_row_of_four, end_of_run});
}

}  // namespace ringcast
