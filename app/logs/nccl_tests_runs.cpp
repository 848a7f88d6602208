#include "app/logs/nccl_tests_runs.hpp"

#include <algorithm>
#include <array>

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

/// The number after a phrase.
std::optional<std::uint64_t> number_after(const Words& words,
                                          std::initializer_list<std::string_view> phrase) {
  const auto place = place_of(words, phrase);
  if (!place || *place + phrase.size() >= words.size()) {
    return std::nullopt;
  }
  return whole_number(words[*place + phrase.size()]);
}

std::optional<NcclTestsDevice> device_in(const Words& words, int line) {
  const auto rank = number_after(words, {"Rank"});
  const auto device = place_of(words, {"device"});
  if (!rank || !number_after(words, {"Pid"}) || !device || !number_after(words, {"device"})) {
    return std::nullopt;
  }
  NcclTestsDevice found{line, *rank, number_after(words, {"Group"}).value_or(0), {}, {}};
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

struct Library {
  std::string name = "NCCL";
  std::string release;  // "2.26"
};

/// `2.26` of nccl-library=22602 or rccl-library=22602: NCCL_VERSION() of nccl.h since 2.9.
std::optional<std::string> release_of_code(std::string_view word) {
  constexpr std::string_view library = "ccl-library=";
  const std::size_t at = word.find(library);
  if (at != 1) return std::nullopt;
  const auto code = whole_number(word.substr(at + library.size()));
  if (!code || *code < 20000 || *code >= 100000) return std::nullopt;
  return fmt::format("{}.{}", *code / 10000, *code / 100 % 100);
}

/// The library that is named by "NCCL version 2.26.2+cuda12.8", "RCCL version : 2.22.3-HEAD",
/// "nccl-library=22602" or "# rccl-tests ... rccl-library=22707".
std::optional<Library> library_in(const Words& words) {
  const auto code = std::ranges::find_if(
      words, [](std::string_view word) { return release_of_code(word).has_value(); });
  const bool is_rccl = std::ranges::any_of(
      words, [](std::string_view word) { return word.starts_with("rccl-tests"); });
  if (is_rccl || code != words.end()) {
    if (code == words.end()) return Library{"RCCL", ""};
    return Library{is_rccl || code->starts_with('r') ? "RCCL" : "NCCL",
                   release_of_code(*code).value_or("")};
  }
  auto place = place_of(words, {"NCCL", "version"});
  if (!place) place = place_of(words, {"RCCL", "version"});
  if (!place) return std::nullopt;
  Words rest{words.begin() + static_cast<std::ptrdiff_t>(*place) + 2, words.end()};
  std::erase(rest, ":");
  if (rest.empty()) return std::nullopt;
  const std::string_view version = rest.front();
  const std::size_t dot = version.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::size_t second = version.find('.', dot + 1);
  const auto major = whole_number(version.substr(0, dot));
  const auto minor = whole_number(version.substr(dot + 1, second - dot - 1));
  if (second == std::string_view::npos || !major || !minor || *major > 9 || *minor > 99) {
    return std::nullopt;
  }
  return Library{std::string{words[*place]}, fmt::format("{}.{}", *major, *minor)};
}

/// Whether a word is a program of nccl-tests or rccl-tests: `all_reduce_perf`, `sendrecv_perf_mpi`.
bool is_program(std::string_view word) {
  constexpr auto known = std::to_array<std::string_view>(
      {"all_reduce", "all_gather", "reduce_scatter", "reduce", "broadcast", "alltoall", "alltoallv",
       "gather", "scatter", "sendrecv", "hypercube", "all_reduce_bias"});
  for (const std::string_view end : {"_perf", "_perf_mpi"}) {
    if (!word.ends_with(end)) continue;
    word.remove_suffix(end.size());
    return std::ranges::find(known, word) != known.end();
  }
  return false;
}

/// A word without a path, a quotation mark or the name of a variable before it.
std::string_view base_name(std::string_view word) {
  word.remove_prefix(std::min(word.find_last_of("/\"'=") + 1, word.size()));
  return word;
}

/// The program that a line names: its own, "# Collective test starting: sendrecv_perf", which may
/// name a newer one, or the command line of a shell, "./build/sendrecv_perf".
/// Empty where there is none, or several in a list of them.
std::string_view program_in(const Words& words) {
  if (const auto own = place_of(words, {"Collective", "test", "starting:"});
      own && *own + 3 < words.size()) {
    const std::string_view name = base_name(words[*own + 3]);
    return name.ends_with("_perf") || name.ends_with("_perf_mpi") ? name : "";
  }
  std::string_view program;
  for (const std::string_view argument : words) {
    const std::string_view word = base_name(argument);
    if (!is_program(word)) continue;
    if (!program.empty() && program != word) return {};
    program = word;
  }
  return program;
}

/// Settings of "# nThread 1 ... agg iters: 1 validation: 1 graph: 0" that change the times.
std::string settings_in(const Words& words) {
  std::vector<std::string> settings;
  if (const auto count = number_after(words, {"agg", "iters:"})) {
    settings.push_back(fmt::format("agg iters: {}", *count));
  }
  if (const auto graph = number_after(words, {"graph:"})) {
    settings.push_back(fmt::format("graph: {}", *graph));
  }
  if (const auto gpus = number_after(words, {"nGpus"}); gpus > 1) {
    settings.push_back(fmt::format("nGpus: {}", *gpus));
  }
  return fmt::format("{}", fmt::join(settings, " "));
}

class Runs {
 public:
  void take(const LogLine& line) {
    const Words words = words_of(line.text);
    if (auto library = library_in(words)) {
      library_ = std::move(*library);
      library_has_rows_ = false;
    }
    if (const std::string_view program = program_in(words); !program.empty()) {
      program_ = program;
      program_line_ = line.number;
    }
    if (!takes_begin(words, line.number) && !takes_titles(words) &&
        !takes_end(words, line.number)) {
      take_row(words, line);
    }
  }

  [[nodiscard]] std::vector<NcclTestsRun> all() && { return std::move(runs_); }

 private:
  NcclTestsRun& last() { return runs_.back(); }

  /// A line before the table: of the settings, a rank or NCCL's log.
  bool takes_begin(const Words& words, int line) {
    if (place_of(words, {"Collective", "test", "starting:"})) {
      begin();
    } else if (has(words, "nThread") && has(words, "minBytes")) {
      begin();
      last().settings = settings_in(words);
      last().grouped = number_after(words, {"agg", "iters:"}).value_or(1);
      last().graphs = number_after(words, {"graph:"}).value_or(0);
      last().gpus_per_thread = number_after(words, {"nGpus"}).value_or(1);
    } else if (has(words, "Init") && has(words, "COMPLETE")) {
      if (last().closed) begin();
      for (const std::string_view key : {"nranks", "nRanks"}) {
        if (const auto ranks = number_after(words, {key})) last().communicators.insert(*ranks);
      }
    } else if (auto device = device_in(words, line)) {
      begin_after_rows();
      last().devices.push_back(std::move(*device));
    } else {
      return false;
    }
    return true;
  }

  bool takes_titles(const Words& words) {
    if (has(words, "size") && has(words, "count") && has(words, "type")) {
      const NcclTestsColumns columns{
          .per_iteration = has(words, "i_min"),
          .only_in_place = only_in_place_ && std::ranges::count(words, "algbw") == 1};
      begin_of_table(columns, has(words, "cputime"));
      return true;
    }
    if (has(words, "in-place")) {
      only_in_place_ = !has(words, "out-of-place");
      return true;
    }
    return false;
  }

  /// A line of the summary.
  bool takes_end(const Words& words, int line) {
    if (const auto bounds = place_of(words, {"Out", "of", "bounds", "values", ":"})) {
      last().in_bounds = *bounds + 5 < words.size() && words[*bounds + 5] == "0";
      if (has(words, "FAILED")) last().failed_line = line;
      return true;
    }
    if (place_of(words, {"Avg", "bus", "bandwidth"})) {
      last().closed = true;
      return true;
    }
    return false;
  }

  void add_run() {
    runs_.emplace_back();
    if (library_has_rows_) library_.release.clear();  // the next run states its own
  }

  void begin() {
    if (last().closed || !last().rows.empty() || !last().devices.empty()) add_run();
  }

  /// Begins a run without its first lines, which `grep Rank` may have removed.
  void begin_after_rows() {
    if (last().closed || !last().rows.empty()) add_run();
  }

  /// Begins a run if a table has ended, or is followed by one of another program or of other
  /// columns.
  void begin_of_table(const NcclTestsColumns& columns, bool cpu_times) {
    const bool is_other =
        last().program != program_ || last().columns != columns || last().cpu_times != cpu_times;
    if (last().closed || is_other) {
      begin_after_rows();
    }
    last().columns = columns;
    last().cpu_times = cpu_times;
  }

  void take_row(const Words& words, const LogLine& line) {
    auto row = nccl_tests_row(words, last().columns);
    if (!row && !line.ended && !words.empty() && whole_number(words.front())) {
      row.emplace();  // the file stops before the name of the type
    }
    if (!row) {
      return;
    }
    if (last().closed) add_run();
    row->line = line.number;
    if (last().rows.empty()) {
      last().program = program_;
      last().program_line = program_line_;
    }
    last().library = library_.name;
    last().release = library_.release;
    library_has_rows_ = true;
    last().rows.push_back(std::move(*row));
  }

  Library library_;
  bool library_has_rows_ = false;  // rows were read since it was named
  std::string program_;
  int program_line_ = 0;
  bool only_in_place_ = false;  // the line above the titles names the halves
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
