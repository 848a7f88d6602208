#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "app/common/cell_pool.hpp"

namespace ringcast {

/// How long a run takes, estimated from how much of its work a second did.
///
/// Work is counted in messages, weighted by the measured cost of each method to find a time, so
/// that methods and sizes are comparable. The actual cost of a message on this host is known from
/// the run itself after a second; until then the estimate is the expected time. Until a tenth is
/// done, it is no more than twice the expected time, unless that has passed: the first messages of
/// a simulation, which look for their routes, take longer than others. If the work that is done
/// falls to less than half, other work has begun, such as a simulation repeated for bounds: only
/// that is measured. One of many cells that is repeated changes little. While no more is done, the
/// estimate stays, as rounds that repeat are then about to be left out.
class RunEstimate {
 public:
  /// From begin to end; nothing while it cannot be estimated. To be called from the start on.
  [[nodiscard]] std::optional<Seconds> total(const WorkDone& done, Seconds elapsed);

 private:
  [[nodiscard]] std::optional<Seconds> measured(const WorkDone& done, Seconds elapsed);

  struct Point {
    double fraction = 0;
    Seconds time{0};
  };
  std::optional<Point> begin_;  // of this work; what other runs have found is done
  std::optional<Point> first_;  // at which any work was done
  Point last_;                  // at which some more was done
};

/// Long runs announce their time, and start on a terminal only with --yes.
struct RunLimits {
  static constexpr Seconds announced_from{5};
  static constexpr Seconds confirmed_from{3600};
  static constexpr Seconds unknown_from{10};  // without an estimate, that is announced
};
/// `40 s`, `12 min`, `3.5 h`, `2.1 days`
[[nodiscard]] std::string rounded_text(Seconds time);

/// A line on standard error that is drawn again and again; only where that is a terminal. And the
/// line that says how long the run takes.
class ProgressBar {
 public:
  /// `quiet` silences it on a terminal too; with `is_confirmed` a run may take hours.
  ProgressBar(std::string title, bool quiet, bool is_confirmed = true);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Wipes the line.
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

/// Draws the bar as often as it is called; the bar must outlive it.
[[nodiscard]] WorkProgress shown_on(ProgressBar& bar);

/// `predict  [#####...............]  25 %  2/8 cells  12 s left`; what ProgressBar draws.
[[nodiscard]] std::string progress_line(const std::string& title, const WorkDone& done,
                                        std::chrono::duration<double> elapsed);
/// `predict: 25 % of the ranks recorded`, `measure: 9 of 12 cells done`: what it says instead of a
/// time; empty for one cell, of which nothing is known.
[[nodiscard]] std::string unknown_text(const std::string& title, const WorkDone& done);

}  // namespace ringcast
