#include "app/measure/job_words.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace ringcast {
namespace {

constexpr std::string_view word_prefix = "@ringcast ";

}  // namespace

std::string to_line(const JobWord& word) {
  return fmt::format("{}{} {}", word_prefix, word.word, word.text);
}

std::optional<JobWord> word_of(std::string_view line) {
  if (!line.starts_with(word_prefix)) {
    return std::nullopt;
  }
  line.remove_prefix(word_prefix.size());
  const std::size_t space = std::min(line.find(' '), line.size());
  return JobWord{std::string{line.substr(0, space)},
                 std::string{line.substr(std::min(space + 1, line.size()))}};
}

std::string to_line(const RankFailure& failure) {
  return fmt::format("ringcast-mpi: rank {} ends with exit code {}: {}", failure.rank,
                     failure.exit_code, failure.text);
}

std::optional<RankFailure> failure_of(const std::string& line) {
  RankFailure failure;
  int text = 0;
  std::sscanf(line.c_str(), "ringcast-mpi: rank %d ends with exit code %d: %n", &failure.rank,
              &failure.exit_code, &text);
  if (text == 0) {
    return std::nullopt;
  }
  failure.text = line.substr(static_cast<std::size_t>(text));
  return failure;
}

}  // namespace ringcast
