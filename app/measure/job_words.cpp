#include "app/measure/job_words.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace ringcast {
namespace {

// Both prefixes may follow a tag: `[1,0]<stdout>:` of mpirun --tag-output, `0: ` of srun --label.
constexpr std::string_view word_prefix = "@ringcast ";
constexpr std::string_view failure_prefix = "ringcast-mpi: rank ";

}  // namespace

std::string to_line(const JobWord& word) {
  return fmt::format("{}{} {}", word_prefix, word.word, word.text);
}

std::optional<JobWord> word_of(std::string_view line) {
  const std::size_t begin = line.find(word_prefix);
  if (begin == line.npos) {
    return std::nullopt;
  }
  line.remove_prefix(begin + word_prefix.size());
  const std::size_t space = std::min(line.find(' '), line.size());
  return JobWord{std::string{line.substr(0, space)},
                 std::string{line.substr(std::min(space + 1, line.size()))}};
}

std::string to_line(const RankFailure& failure) {
  return fmt::format("{}{} ends with exit code {}: {}", failure_prefix, failure.rank,
                     failure.exit_code, failure.text);
}

std::optional<RankFailure> failure_of(const std::string& line) {
  const std::size_t begin = line.find(failure_prefix);
  if (begin == line.npos) {
    return std::nullopt;
  }
  RankFailure failure;
  const char* const after_prefix = line.c_str() + begin + failure_prefix.size();
  int text = 0;
  std::sscanf(after_prefix, "%d ends with exit code %d: %n", &failure.rank, &failure.exit_code,
              &text);
  if (text == 0) {
    return std::nullopt;
  }
  failure.text = after_prefix + text;
  return failure;
}

}  // namespace ringcast
