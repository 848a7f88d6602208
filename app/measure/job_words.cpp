#include "app/measure/job_words.hpp"

#include <charconv>

#include <fmt/format.h>

namespace ringcast {
namespace {

constexpr std::string_view word_prefix = "@ringcast ";
constexpr std::string_view failure_prefix = "ringcast-mpi: rank ";
constexpr std::string_view failure_middle = " ends with exit code ";

bool drop(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<int> drop_number(std::string_view& text) {
  int number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{}) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::string to_line(const JobWord& word) {
  return fmt::format("{}{} {}", word_prefix, word.word, word.text);
}

std::optional<JobWord> word_of(std::string_view line) {
  if (!drop(line, word_prefix)) {
    return std::nullopt;
  }
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, space);
  line.remove_prefix(std::min(space + 1, line.size()));
  return JobWord{std::string{word}, std::string{line}};
}

std::string to_line(const RankFailure& failure) {
  return fmt::format("{}{}{}{}: {}", failure_prefix, failure.rank, failure_middle,
                     failure.exit_code, failure.text);
}

std::optional<RankFailure> failure_of(std::string_view line) {
  if (!drop(line, failure_prefix)) {
    return std::nullopt;
  }
  const auto rank = drop_number(line);
  if (!rank || !drop(line, failure_middle)) {
    return std::nullopt;
  }
  const auto exit_code = drop_number(line);
  if (!exit_code || !drop(line, ": ")) {
    return std::nullopt;
  }
  return RankFailure{*rank, *exit_code, std::string{line}};
}

}  // namespace ringcast
