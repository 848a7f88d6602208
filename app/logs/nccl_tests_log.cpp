#include "app/logs/nccl_tests_log.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/ranges.h>

#include "app/common/counted.hpp"
#include "app/logs/nccl_environment.hpp"
#include "app/logs/nccl_tests_job.hpp"
#include "app/logs/nccl_tests_runs.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

constexpr double most_ranks = 100'000;  // as in scenario files
constexpr std::string_view example_row =
    "1048576 262144 float sum -1 37.89 27.67 48.43 0 38.57 27.19 47.58 0";

class NcclTestsReader {
 public:
  NcclTestsReader(const LogFile& log, const ImportOptions& options)
      : log_{log}, options_{options} {}

  void take(NcclTestsRun run) {
    keep_all_reduces(run);
    if (run.rows.empty()) {
      return;
    }
    if (run.columns.only_in_place && !options_.in_place) {
      imported_.remarks.add("in place", fmt::format("{}: the rows have in-place times only, which "
                                                    "are taken",
                                                    place(run.rows.front().line)));
    }
    remark_on_settings(run);
    const int ranks = ranks_of(run);
    jobs_.push_back(job_of(run));
    for (const NcclTestsRow& row : run.rows) {
      take_row(run, row, ranks);
    }
    if (run.failed_line > 0 && !imported_.remarks.has("wrong")) {
      imported_.remarks.add("wrong",
                            fmt::format("{}: values out of bounds, though none of the times "
                                        "that are taken has wrong ones",
                                        place(run.failed_line)));
    }
    if (run.devices.size() > most_devices_) {
      most_devices_ = run.devices.size();
      imported_.devices = jobs_.back().devices;
      imported_.hosts = jobs_.back().hosts;
    }
    libraries_.insert(library_of(run));
  }

  [[nodiscard]] ImportedLog result() && {
    if (imported_.samples.empty()) {
      refuse_nothing();
    }
    const bool one_release = std::ranges::all_of(
        jobs_, [&](const NcclTestsJob& job) { return job.release == jobs_.front().release; });
    imported_.transport = one_release && !jobs_.front().release.empty()
                              ? jobs_.front().release
                              : fmt::format("{}", fmt::join(libraries_, " and "));
    if (!others_.empty()) {
      imported_.remarks.add("others",
                            fmt::format("{}: {} are left out", place(others_line_), all_others()));
    }
    return std::move(imported_);
  }

 private:
  [[nodiscard]] std::string place(int line) const { return fmt::format("{}:{}", log_.name, line); }

  /// Removes the rows of a run that are not samples of all-reduces.
  void keep_all_reduces(NcclTestsRun& run) {
    const bool is_sendrecv = looks_like_sendrecv(run);
    std::erase_if(run.rows, [&](const NcclTestsRow& row) {
      if (!row.is_complete) {
        imported_.remarks.add(
            "cut", fmt::format("{}: the row is not whole and is left out", place(row.line)));
        return true;
      }
      std::string other = other_collective(run, is_sendrecv, row);
      if (other.empty()) return false;
      if (others_.empty()) others_line_ = row.line;
      if (std::ranges::find(others_, other) == others_.end()) others_.push_back(std::move(other));
      return true;
    });
  }

  void remark_on_settings(const NcclTestsRun& run) {
    const auto remark = [&](const char* kind, const std::string& text) {
      imported_.remarks.add(kind, fmt::format("{}: {}", place(run.rows.front().line), text));
    };
    if (run.grouped > 1) {
      remark("group", fmt::format("agg iters: {0}: each time is 1/{0} of that of {0} all-reduces",
                                  run.grouped));
    }
    if (run.graphs > 0) {
      remark("graph",
             fmt::format("graph: {}: the all-reduces were launched by CUDA graphs", run.graphs));
    }
    if (run.gpus_per_thread > 1) {
      remark("process", fmt::format("each thread had {0} GPUs: predict with gpus_per_process: {0}",
                                    run.gpus_per_thread));
    }
  }

  [[nodiscard]] std::string all_others() const {
    return fmt::format("rows {}", fmt::join(others_, ", "));
  }

  int ranks_of(const NcclTestsRun& run) {
    if (options_.ranks) return *options_.ranks;
    if (run.devices.empty()) {
      const auto stated = ranks_of_communicator(run);
      return stated ? *stated : inferred_ranks(run);
    }
    expect_no_gaps(run);
    std::map<std::uint64_t, std::set<std::uint64_t>> groups;
    for (const NcclTestsDevice& device : run.devices) {
      if (!groups[device.group].insert(device.rank).second) {
        imported_.remarks.add("alone",
                              fmt::format("{}: rank {} comes again: processes that ran each for "
                                          "itself, as without MPI=1 when nccl-tests is built",
                                          place(device.line), device.rank));
      }
    }
    const std::size_t ranks = groups.begin()->second.size();
    for (const auto& [group, members] : groups) {
      if (members.size() != ranks) {
        fail_at(log_, run.devices.front().line,
                fmt::format("groups of {} and of {} ranks", ranks, members.size()),
                "groups of one size, or --ranks");
      }
    }
    return static_cast<int>(ranks);
  }

  /// Nothing unless all communicators of the run have the same number of ranks.
  [[nodiscard]] static std::optional<int> ranks_of_communicator(const NcclTestsRun& run) {
    if (run.communicators.size() != 1) return std::nullopt;
    const auto ranks = static_cast<double>(*run.communicators.begin());
    return ranks >= 1 && ranks <= most_ranks ? std::optional{static_cast<int>(ranks)}
                                             : std::nullopt;
  }

  /// The ranks of all groups are numbered consecutively.
  void expect_no_gaps(const NcclTestsRun& run) const {
    std::set<std::uint64_t> ranks;
    for (const NcclTestsDevice& device : run.devices) {
      ranks.insert(device.rank);
    }
    for (std::uint64_t rank = 0; rank < ranks.size(); ++rank) {
      if (!ranks.contains(rank)) {
        fail_at(
            log_, run.devices.front().line,
            fmt::format("there is no line of rank {}, but one of rank {}", rank, *ranks.rbegin()),
            "a line \"# Rank\" of each rank, or --ranks");
      }
    }
  }

  [[nodiscard]] int inferred_ranks(const NcclTestsRun& run) const {
    const RankRange range = ranks_by_bandwidths(run.rows);
    const int line = run.rows.front().line;
    if (range.least > std::min(range.most, most_ranks)) {
      fail_at(log_, line, "no number of ranks explains the rows from here on",
              "busbw = algbw x 2(n-1)/n with one n, or --ranks");
    }
    if (range.least == range.most) return static_cast<int>(range.least);
    fail_at(log_, line,
            fmt::format("the log does not say how many ranks there were, and busbw/algbw leaves {}",
                        range.most > most_ranks
                            ? fmt::format("{:.0f} or more", range.least)
                            : fmt::format("{:.0f} to {:.0f}", range.least, range.most)),
            "lines \"# Rank 0 ...\", or --ranks");
  }

  void take_row(const NcclTestsRun& run, const NcclTestsRow& row, int ranks) {
    const auto type = nccl_tests_type(row.type);
    const auto operation = operation_named(row.operation);
    if (!type || !operation) {
      leave_out(row, type.has_value());
      return;
    }
    const NcclTestsTiming& timing =
        options_.in_place || !row.out_of_place ? row.in_place : *row.out_of_place;
    expect_plausible(log_, row.line, timing.time_us.value);
    if (const std::string problem = contradiction_in(row, timing, ranks); !problem.empty()) {
      fail_at(log_, row.line, problem,
              problem.starts_with("busbw")
                  ? fmt::format("rows of {}, or their number with --ranks", counted(ranks, "rank"))
                  : "a row as all_reduce_perf prints it, with times in us");
    }
    const Seconds time{timing.time_us.value / 1e6};
    imported_.samples.push_back(
        {ranks, row.size, {*type, *operation}, time, time, time, is_verified(run, row, timing)});
    imported_.samples.back().nodes = jobs_.back().nodes;
    expect_same_job(imported_.samples.back(), row.line);
  }

  /// A row of a result is the median of all its samples.
  void expect_same_job(const Sample& sample, int line) {
    const auto [job, first_line] =
        first_jobs_.try_emplace(cell_of(sample), jobs_.size() - 1, line).first->second;
    const std::string difference = differences(jobs_[job], jobs_.back());
    if (!difference.empty()) {
      imported_.remarks.add("jobs", fmt::format("{}: one median with line {} of another job: {}",
                                                place(line), first_line, difference));
    }
  }

  void leave_out(const NcclTestsRow& row, bool type_is_known) {
    const std::string problem = type_is_known ? fmt::format("operation {}", row.operation)
                                              : fmt::format("elements of {}", row.type);
    if (!options_.skip) {
      fail_at(log_, row.line, problem,
              type_is_known ? "sum, prod, min, max or avg; --skip leaves such rows out"
                            : "half, bfloat16, float, double, int32 or int64; --skip leaves such "
                              "rows out");
    }
    imported_.remarks.add("skip", fmt::format("{}: {}: left out", place(row.line), problem));
  }

  /// A value between 0 and 1 is the relative error that versions before 2022 printed; their last
  /// lines say whether all are within bounds.
  bool is_verified(const NcclTestsRun& run, const NcclTestsRow& row,
                   const NcclTestsTiming& timing) {
    if (!timing.wrong) {
      return false;
    }
    if (*timing.wrong >= 1) {
      imported_.remarks.add("wrong", fmt::format("{}: {} wrong values: the row is not verified",
                                                 place(row.line), *timing.wrong));
      return false;
    }
    return *timing.wrong == 0 || run.in_bounds;
  }

  [[noreturn]] void refuse_nothing() const {
    if (!others_.empty()) {
      fail_at(log_, others_line_, all_others(), "rows of all_reduce_perf");
    }
    for (const std::string& why : imported_.remarks.texts()) {
      throw ScenarioError{
          fmt::format("{}, and no row stays (expected rows such as {})", why, example_row)};
    }
    throw ScenarioError{
        fmt::format("{}: no nccl-tests rows (expected rows such as {})", log_.name, example_row)};
  }

  const LogFile& log_;
  const ImportOptions& options_;
  ImportedLog imported_;
  std::size_t most_devices_ = 0;
  std::vector<NcclTestsJob> jobs_;                                // of the runs taken
  std::map<SampleCell, std::pair<std::size_t, int>> first_jobs_;  // index and line
  std::set<std::string> libraries_;
  std::vector<std::string> others_;
  int others_line_ = 0;
};

}  // namespace

ImportedLog read_nccl_tests(const LogFile& log, const ImportOptions& options) {
  if (options.data_type) {
    throw ScenarioError{fmt::format(
        "{}: --data-type: each row of nccl-tests names its type (expected a log of osu_allreduce)",
        log.name)};
  }
  NcclTestsReader reader{log, options};
  for (NcclTestsRun& run : nccl_tests_runs(log)) {
    reader.take(std::move(run));
  }
  ImportedLog imported = std::move(reader).result();
  note_environment(log, imported.remarks);
  return imported;
}

bool has_nccl_tests_rows(const LogFile& log) {
  return std::ranges::any_of(log.lines, [](const LogLine& line) {
    return nccl_tests_row(words_of(line.text), {}).has_value();
  });
}

bool looks_like_nccl_tests(const LogFile& log) {
  const auto has_titles = [](const LogLine& line) {
    const auto words = words_of(line.text);
    return std::ranges::find(words, "algbw") != words.end() &&
           std::ranges::find(words, "busbw") != words.end();
  };
  return std::ranges::any_of(log.lines, has_titles) || has_nccl_tests_rows(log);
}

}  // namespace ringcast
