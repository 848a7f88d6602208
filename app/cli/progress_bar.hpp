#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "app/common/cell_pool.hpp"

namespace ringcast {

/// Estimates the time of a run by extrapolation.
///
/// - Work is counted in messages, weighted by the measured cost of a message in each method: this
///   makes methods and sizes comparable.
/// - In the first second the estimate is the expected time, then it follows the speed of the run.
/// - Until a tenth is done, it is at most twice the expected time: the first messages of a
///   simulation, which compute their routes, take longer. Where that time has passed or is not
///   known, there is no estimate in the first 20 seconds of progress.
/// - If the work done falls to less than half, other work has begun, such as a simulation repeated
///   for bounds: only that is measured. One of many cells that is repeated changes little.
/// - While the work done is constant, so is the estimate: rounds that repeat are about to be
///   skipped.
class RunEstimate {
 public:
  /// The time from begin to end; nothing while it cannot be estimated. Call it from the start on.
  [[nodiscard]] std::optional<Seconds> total(const WorkDone& done, Seconds elapsed);

 private:
  [[nodiscard]] std::optional<Seconds> measured(const WorkDone& done, Seconds elapsed);

  struct Point {
    double fraction = 0;
    Seconds time{0};
  };
  std::optional<Point> begin_;  // of this work; stored outcomes count as done
  std::optional<Point> first_;  // the first report of progress
  Point last_;                  // the latest report of progress
};

/// The expected times from which a run prints its time, and requires --yes on a terminal.
struct RunLimits {
  static constexpr Seconds announced_from{5};
  static constexpr Seconds confirmed_from{3600};
  static constexpr Seconds unknown_from{10};  // from then on, the lack of an estimate is printed
};
/// `40 s`, `12 min`, `3.5 h`, `2.1 days`
[[nodiscard]] std::string rounded_text(Seconds time);

/// A progress line on standard error, if that is a terminal, and a message with the expected time
/// of a long run.
class ProgressBar {
 public:
  /// `quiet` silences it on a terminal too; with `is_confirmed` a run may take hours.
  ProgressBar(std::string title, bool quiet, bool is_confirmed = true);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Clears the line.
  ~ProgressBar();
  /// Throws ScenarioError for a run of hours on a terminal without --yes.
  void show(const WorkDone& done);

 private:
  using Clock = std::chrono::steady_clock;
  void announce(const WorkDone& done, Seconds elapsed);
  void announce_unknown(const WorkDone& done, Seconds elapsed);
  void say(const std::string& text) const;

  std::string title_;
  bool quiet_;
  bool is_confirmed_;
  bool is_terminal_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point drawn_{};
  RunEstimate estimate_;
  Seconds announced_{0};
  bool announced_unknown_ = false;
};

/// Shows each report on the bar, which must outlive it.
[[nodiscard]] WorkProgress shown_on(ProgressBar& bar);

/// `predict  [#####...............]  25 %  2/8 cells  12 s left`; what ProgressBar draws.
[[nodiscard]] std::string progress_line(const std::string& title, const WorkDone& done,
                                        std::chrono::duration<double> elapsed);
/// The message without an estimate: `predict: 25 % of the ranks recorded`, `measure: 9 of 12 cells
/// done`, `predict: trying 64 GPUs`; empty for a single cell without a report.
[[nodiscard]] std::string unknown_text(const std::string& title, const WorkDone& done);

}  // namespace ringcast
