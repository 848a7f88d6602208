#include "app/logs/nccl_tests_runs.hpp"

#include <algorithm>

#include <fmt/ranges.h>

namespace ringcast {
namespace {

using Words = std::vector<std::string_view>;

/// The index in `words` at which the sequence `wanted` begins.
std::optional<std::size_t> place_of(const Words& words,
                                    std::initializer_list<std::string_view> wanted) {
  const auto found = std::search(words.begin(), words.end(), wanted.begin(), wanted.end());
  if (found == words.end()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - words.begin());
}

bool has(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// The number after a word, from `first` on.
std::optional<std::uint64_t> number_after(const Words& words, std::string_view word) {
  const auto place = place_of(words, {word});
  if (!place || *place + 1 >= words.size()) {
    return std::nullopt;
  }
  return whole_number(words[*place + 1]);
}

std::optional<NcclTestsDevice> device_in(const Words& words, int line) {
  const auto rank = number_after(words, "Rank");
  const auto device = place_of(words, {"device"});
  if (!rank || !number_after(words, "Pid") || !device || !number_after(words, "device")) {
    return std::nullopt;
  }
  NcclTestsDevice found{line, *rank, number_after(words, "Group").value_or(0), {}, {}};
  if (const auto on = place_of(words, {"on"}); on && *on + 1 < *device) {
    found.host = words[*on + 1];
  }
  // After the device's number and "[its bus]" comes its name.
  if (*device + 3 < words.size()) {
    found.name = fmt::format(
        "{}",
        fmt::join(words.begin() + static_cast<std::ptrdiff_t>(*device) + 3, words.end(), " "));
  }
  return found;
}

/// The release "2.26" of "NCCL version 2.26.2+cuda12.8" or "nccl-library=22602"; else nothing.
std::string release_in(const Words& words) {
  constexpr std::string_view library = "nccl-library=";
  for (const std::string_view word : words) {
    if (!word.starts_with(library)) continue;
    // NCCL_VERSION() of nccl.h since 2.9
    const auto code = whole_number(word.substr(library.size()));
    if (code && *code >= 20000 && *code < 100000) {
      return fmt::format("{}.{}", *code / 10000, *code / 100 % 100);
    }
  }
  const auto place = place_of(words, {"NCCL", "version"});
  if (!place || *place + 2 >= words.size()) return {};
  const std::string_view version = words[*place + 2];
  const std::size_t dot = version.find('.');
  if (dot == std::string_view::npos) return {};
  const std::size_t second = version.find('.', dot + 1);
  const auto major = whole_number(version.substr(0, dot));
  const auto minor = whole_number(version.substr(dot + 1, second - dot - 1));
  if (second == std::string_view::npos || !major || !minor || *major > 9 || *minor > 99) return {};
  return fmt::format("{}.{}", *major, *minor);
}

class Runs {
 public:
  void take(const LogLine& line) {
    const Words words = words_of(line.text);
    if (const std::string release = release_in(words); !release.empty()) release_ = release;
    if (const auto place = place_of(words, {"Collective", "test", "starting:"})) {
      begin();
      last().program = *place + 3 < words.size() ? words[*place + 3] : "";
    } else if (has(words, "nThread") && has(words, "minBytes")) {
      begin();
    } else if (auto device = device_in(words, line.number)) {
      begin_after_rows();
      last().devices.push_back(std::move(*device));
    } else if (has(words, "size") && has(words, "count") && has(words, "type")) {
      last().per_iteration = has(words, "i_min");
    } else if (const auto bounds = place_of(words, {"Out", "of", "bounds", "values", ":"})) {
      last().in_bounds = *bounds + 5 < words.size() && words[*bounds + 5] == "0";
    } else if (place_of(words, {"Avg", "bus", "bandwidth"})) {
      last().closed = true;
    } else {
      take_row(words, line);
    }
  }

  [[nodiscard]] std::vector<NcclTestsRun> all() && { return std::move(runs_); }

 private:
  NcclTestsRun& last() { return runs_.back(); }

  void begin() {
    if (!last().rows.empty() || !last().devices.empty()) {
      runs_.emplace_back();
    }
  }

  /// Where the lines that a run begins with are lost, as `grep Rank` loses them.
  void begin_after_rows() {
    if (!last().rows.empty()) {
      runs_.emplace_back();
    }
  }

  void take_row(const Words& words, const LogLine& line) {
    auto row = nccl_tests_row(words, last().per_iteration);
    if (!row && !line.ended && !words.empty() && whole_number(words.front())) {
      row.emplace();  // the file stops before the name of the type
    }
    if (!row) {
      return;
    }
    if (last().closed) {
      runs_.emplace_back();
    }
    row->line = line.number;
    last().release = release_;
    last().rows.push_back(std::move(*row));
  }

  std::string release_;
  std::vector<NcclTestsRun> runs_ = std::vector<NcclTestsRun>(1);
};

}  // namespace

std::vector<NcclTestsRun> nccl_tests_runs(const LogFile& log) {
  Runs runs;
  for (const LogLine& line : log.lines) {
    runs.take(line);
  }
  return std::move(runs).all();
}

}  // namespace ringcast
