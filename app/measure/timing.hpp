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
  /// The limit for all runs of one collective together. Where they would take longer there are
  /// fewer: at least one to warm up, and fewest_repetitions.
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

/// Called with the runs that have ended and with all runs; the latter changes once the time of one
/// is known.
using ReportRuns = std::function<void(int ended, int all)>;

/// The operation that all ranks repeat together.
class RepeatedWork {
 public:
  RepeatedWork() = default;
  RepeatedWork(const RepeatedWork&) = delete;
  RepeatedWork& operator=(const RepeatedWork&) = delete;
  virtual ~RepeatedWork() = default;
  /// Makes data whose result is known.
  virtual void fill() = 0;
  /// After one run on such data. Throws WrongResult.
  virtual void verify() const = 0;
  /// `repetition` numbers from 0 the runs that count; the others have none.
  virtual void run(std::optional<int> repetition) = 0;
};

/// Runs the work on all ranks at once: warm-up runs, then timed ones, each from a barrier to the
/// end of the slowest rank. Every rank gets the same result.
[[nodiscard]] Timing time_repeatedly(RankContext& self, RepeatedWork& work,
                                     const TimingOptions& options, const ReportRuns& report = {});

/// The same of a collective on the buffer of `data`. Throws WrongResult, on the rank that finds it,
/// for a wrong element.
[[nodiscard]] Timing time_collective(RankContext& self, const Collective& collective,
                                     const CheckedData& data, const TimingOptions& options,
                                     const ReportRuns& report = {});

/// The median; for an even number of times the mean of the middle two. At least one.
struct TimeSummary {
  Seconds median{0};
  Seconds min{0};
  Seconds max{0};
};
[[nodiscard]] TimeSummary summary_of(const std::vector<Seconds>& times);

}  // namespace ringcast
