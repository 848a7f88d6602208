#include "app/logs/osu_table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/logs/log_text.hpp"

namespace ringcast {
namespace {

/// Whether a word is a launcher's "0:", "[0]" or "[1,0]<stdout>:", or a timestamp.
bool is_tag(std::string_view word) {
  const bool is_stamp = word.front() >= '0' && word.front() <= '9' && !printed_number(word);
  return is_stamp || word.ends_with(':') || word.ends_with(']') || word.ends_with(')');
}

bool begins_with_size(std::span<const std::string_view> words) {
  return !words.empty() && whole_number(words.front());
}

}  // namespace

std::optional<std::string> osu_title(const OsuWords& words) {
  const auto sign = std::ranges::find(words, "#");
  if (sign == words.end() || sign + 1 == words.end() || *(sign + 1) != "OSU") {
    return std::nullopt;
  }
  return fmt::format("{}", fmt::join(sign + 1, words.end(), " "));
}

std::string_view osu_library(std::string_view title) {
  constexpr std::string_view suite = "OSU ";
  if (!title.starts_with(suite)) return {};
  title.remove_prefix(suite.size());
  for (const std::string_view library : {"MPI", "NCCL", "RCCL", "xCCL"}) {
    if (title.starts_with(library)) return library;
  }
  return {};
}

bool is_osu_allreduce(std::string_view title) {
  return !osu_library(title).empty() && title.find(" Allreduce Latency") != title.npos &&
         title.find("on-blocking") == title.npos && title.find("on-Blocking") == title.npos;
}

/// A title of two words, "Avg Latency(us)", is one column; the first word says which.
std::optional<OsuColumns> osu_columns(const OsuWords& words) {
  const auto size = std::ranges::find(words, "Size");
  if (size == words.begin() || size == words.end() || *(size - 1) != "#") {
    return std::nullopt;
  }
  OsuColumns columns;
  columns.prefix = static_cast<std::size_t>(size - words.begin()) - 1;
  for (auto word = size; word != words.end(); ++word) {
    if (word->starts_with("Latency") || word->starts_with("Lat(") || *word == "Tail") {
      continue;
    }
    if (*word == "Avg") {
      columns.average = columns.count;
    } else if (*word == "Min") {
      columns.least = columns.count;
    } else if (*word == "Max") {
      columns.most = columns.count;
    } else if (*word == "Validation") {
      columns.validation = columns.count;
    }
    ++columns.count;
  }
  return columns;
}

bool are_osu_cells(std::span<const std::string_view> words) {
  return std::ranges::all_of(words, [](std::string_view word) {
    return printed_number(word) || word == "Pass" || word == "Fail";
  });
}

OsuWords osu_row(const OsuWords& words, const OsuColumns& columns) {
  std::span<const std::string_view> row{words};
  if (row.size() > columns.prefix && begins_with_size(row.subspan(columns.prefix))) {
    row = row.subspan(columns.prefix);
  } else {
    while (row.size() > 1 && is_tag(row.front())) {
      row = row.subspan(1);
    }
  }
  return begins_with_size(row) ? OsuWords{row.begin(), row.end()} : OsuWords{};
}

bool ends_like_osu_row(const OsuWords& words, const OsuColumns& columns) {
  if (words.size() < columns.count) return false;
  const auto row = std::span{words}.last(columns.count);
  const auto time = printed_number(row[*columns.average]);
  return are_osu_cells(row.subspan(1)) && time && time->digit < 1;
}

}  // namespace ringcast
