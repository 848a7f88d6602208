#include "app/logs/log_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "app/common/file_input.hpp"
#include "app/common/file_output.hpp"
#include "app/common/mapped.hpp"
#include "app/report/provenance.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

// A thousand ranks with NCCL_DEBUG=INFO write less than a million; each takes 48 bytes.
constexpr std::ptrdiff_t most_lines = 4'000'000;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/// Without the escape sequences of terminals: ESC [ parameters letter.
std::string without_colours(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      plain += text[i];
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '[') {
      for (i += 2; i < text.size() && (text[i] < '@' || text[i] > '~');) {
        ++i;
      }
    }
  }
  return plain;
}

std::vector<LogLine> lines_of(std::string_view text) {
  constexpr std::string_view utf8_mark = "\xef\xbb\xbf";  // some editors begin a text with it
  text.remove_prefix(text.starts_with(utf8_mark) ? utf8_mark.size() : 0);
  std::vector<LogLine> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    LogLine line;
    line.number = static_cast<int>(lines.size()) + 1;
    line.text = without_colours(text.substr(0, end));
    line.ended = end != std::string_view::npos;
    text.remove_prefix(line.ended ? end + 1 : text.size());
    lines.push_back(std::move(line));
  }
  return lines;
}

bool is_decimal(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

LogFile log_of(std::string name, std::string text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    throw ScenarioError{fmt::format("{}: UTF-16 (expected UTF-8 or ASCII text)", name)};
  }
  if (text.find('\0') != text.npos || std::ranges::count(text, '\n') > most_lines) {
    throw ScenarioError{
        fmt::format("{}: no text (expected one without zero bytes, and of at most {} lines)", name,
                    most_lines)};
  }
  LogFile log{std::move(name), sha256_of_bytes(text), {}, lines_of(text)};
  log.text = std::move(text);
  return log;
}

LogFile read_log(const std::filesystem::path& file, std::string_view expected, std::size_t most) {
  note_input(file);
  return log_of(file.string(), read_file(file, most, expected));
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const auto* const first = std::find_if_not(line.begin(), line.end(), is_blank);
    const auto* const end = std::find_if(first, line.end(), is_blank);
    if (first == end) {
      return words;
    }
    std::string_view word{first, end};
    // Open MPI's --tag-output writes "[1,0]<stdout>:" right before the line.
    if (const std::size_t tag = word.rfind(">:"); tag != std::string_view::npos) {
      words.push_back(word.substr(0, tag + 2));
      word.remove_prefix(tag + 2);
    }
    if (!word.empty()) {
      words.push_back(word);
    }
    line = {end, line.end()};
  }
}

std::optional<PrintedNumber> printed_number(std::string_view word) {
  if (word.empty() || word.front() < '0' || word.front() > '9') {
    return std::nullopt;
  }
  PrintedNumber number;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number.value);
  if (stop != end || error != std::errc{}) {
    return std::nullopt;
  }
  const std::size_t mark = std::min(word.find_first_of("eE"), word.size());
  const std::size_t point = std::min(word.find('.'), mark);
  const auto decimals = mark > point ? static_cast<double>(mark - point - 1) : 0.0;
  double exponent = 0;
  if (mark < word.size()) {
    std::string_view digits = word.substr(mark + 1);
    digits.remove_prefix(digits.starts_with('+') ? 1 : 0);
    std::from_chars(digits.data(), end, exponent);
  }
  number.digit = std::pow(10.0, exponent - decimals);
  return number;
}

std::optional<std::uint64_t> whole_number(std::string_view word) {
  std::uint64_t number = 0;
  const char* const end = word.data() + word.size();
  if (!is_decimal(word) || std::from_chars(word.data(), end, number).ec != std::errc{}) {
    return std::nullopt;
  }
  return number;
}

void Remarks::add(std::string_view kind, std::string what) {
  const auto known = std::ranges::find(remarks_, kind, &Remark::kind);
  if (known == remarks_.end()) {
    remarks_.push_back({std::string{kind}, std::move(what), 1});
  } else {
    ++known->count;
  }
}

bool Remarks::has(std::string_view kind) const {
  return std::ranges::find(remarks_, kind, &Remark::kind) != remarks_.end();
}

std::vector<std::string> Remarks::texts() const {
  return mapped(remarks_, [](const Remark& remark) {
    return remark.count == 1 ? remark.first
                             : fmt::format("{} (and {} more such)", remark.first, remark.count - 1);
  });
}

}  // namespace ringcast
