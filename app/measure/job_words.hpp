#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ringcast {

// Messages of ranks to the process that launched them. Words are lines on rank 0's standard output;
// failures are readable lines on any rank's standard error.

inline constexpr std::string_view begun_word = "begun";        // the hosts of the ranks
inline constexpr std::string_view gpus_word = "gpus";          // the GPUs of the ranks
inline constexpr std::string_view remark_word = "remark";      // a line for the user
inline constexpr std::string_view alive_word = "alive";        // heartbeat
inline constexpr std::string_view progress_word = "progress";  // fraction, ended cells, all cells
inline constexpr std::string_view host_word = "host";          // one host's hardware as JSON
inline constexpr std::string_view row_word = "row";            // a finished cell as JSON
inline constexpr std::string_view skipped_word = "skipped";    // why the next cell is not measured

struct JobWord {
  std::string word;
  std::string text;
};
[[nodiscard]] std::string to_line(const JobWord& word);
[[nodiscard]] std::optional<JobWord> word_of(std::string_view line);

struct RankFailure {
  int rank = 0;
  int exit_code = 1;
  std::string text;
};
/// `ringcast-mpi: rank 1 ends with exit code 4: TEXT`
[[nodiscard]] std::string to_line(const RankFailure& failure);
[[nodiscard]] std::optional<RankFailure> failure_of(const std::string& line);

}  // namespace ringcast
