#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/collectives/checked_data.hpp"
#include "engine/contracts/collective.hpp"

namespace ringcast {

/// How often a collective is timed, after nccl-tests (5 runs to warm up, 20 that count).
struct TimingOptions {
  int warmup = 5;
  int repetitions = 20;
  /// The limit on the time of all runs of one collective. If they would exceed it, there are fewer:
  /// at least one warm-up run, and fewest_repetitions.
  Seconds budget{10};
  /// Results are checked before and after the runs that are timed.
  bool check = true;
};
inline constexpr int fewest_repetitions = 3;

/// The times of the repetitions, each that of its slowest rank.
struct Timing {
  std::vector<Seconds> times;
  bool verified = false;
};

/// Called with the numbers of ended runs and of all runs; the latter changes when the time of the
/// first runs is known.
using ReportRuns = std::function<void(int ended, int all)>;

/// The operation that all ranks repeat together.
class RepeatedWork {
 public:
  RepeatedWork() = default;
  RepeatedWork(const RepeatedWork&) = delete;
  RepeatedWork& operator=(const RepeatedWork&) = delete;
  virtual ~RepeatedWork() = default;
  /// Writes data with a known result.
  virtual void fill() = 0;
  /// Checks the result of one run on such data. Throws WrongResult.
  virtual void verify() const = 0;
  /// `repetition`: the number, from 0, of a timed run; absent for a warm-up run.
  virtual void run(std::optional<int> repetition) = 0;
};

/// Runs the work on all ranks at once: warm-up runs, then timed ones, each from a barrier to the
/// end of the slowest rank. Every rank gets the same result.
[[nodiscard]] Timing time_repeatedly(RankContext& self, RepeatedWork& work,
                                     const TimingOptions& options, const ReportRuns& report = {});

/// The same for a collective on the buffer of `data`. Throws WrongResult, on the rank that finds a
/// wrong element.
[[nodiscard]] Timing time_collective(RankContext& self, const Collective& collective,
                                     const CheckedData& data, const TimingOptions& options,
                                     const ReportRuns& report = {});

/// Summarizes one or more times.
struct TimeSummary {
  Seconds median{0};  // of an even number: the mean of the middle two
  Seconds min{0};
  Seconds max{0};
};
[[nodiscard]] TimeSummary summary_of(const std::vector<Seconds>& times);

}  // namespace ringcast
