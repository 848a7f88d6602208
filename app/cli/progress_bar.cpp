#include "app/cli/progress_bar.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "app/common/console.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// Replaces the terminal's line.
void draw(const std::string& line) {
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
}

std::string recorded_text(double part) {
  return fmt::format("{} % of the ranks recorded", static_cast<int>(100 * part));
}

/// The time that is left according to the first messages, which took `measured`: these take longer
/// than others.
std::optional<Seconds> left_by_first(Seconds left, Seconds measured, const WorkDone& done,
                                     Seconds elapsed) {
  constexpr Seconds steady{20};
  constexpr double slack = 2;
  if (done.expected && elapsed <= slack * *done.expected) {
    return std::min(left, slack * (1 - done.fraction) * *done.expected);
  }
  return measured < steady ? std::nullopt : std::optional{left};
}

}  // namespace

std::string progress_line(const std::string& title, const WorkDone& work,
                          std::chrono::duration<double> elapsed) {
  constexpr int width = 30;
  const double done = std::clamp(work.fraction, 0.0, 1.0);
  const int filled = static_cast<int>(done * width);
  std::string line =
      fmt::format("{}  [{:#>{}}{:.>{}}]  {} %  {}/{} cells", title, "", filled, "", width - filled,
                  static_cast<int>(100 * done), work.ended, work.cells);
  if (!work.doing.empty()) line += "  " + work.doing;
  if (work.recorded) return line + "  " + recorded_text(*work.recorded);
  // Earlier estimates would fluctuate.
  if (done > 0.05 && done < 1 && elapsed.count() > 1) {
    line += fmt::format("  {:.0f} s left", elapsed.count() * (1 - done) / done);
  }
  return line;
}

std::string unknown_text(const std::string& title, const WorkDone& done) {
  if (!done.doing.empty()) return fmt::format("{}: {}", title, done.doing);
  if (done.recorded) return fmt::format("{}: {}", title, recorded_text(*done.recorded));
  return done.cells > 1 ? fmt::format("{}: {} of {} cells done", title, done.ended, done.cells)
                        : "";
}

std::optional<Seconds> RunEstimate::total(const WorkDone& done, Seconds elapsed) {
  const std::optional<Seconds> time = measured(done, elapsed);
  return !time && done.foreseen > Seconds{0} ? done.foreseen : time;
}

std::optional<Seconds> RunEstimate::measured(const WorkDone& done, Seconds elapsed) {
  constexpr Seconds least{1};
  constexpr double sure = 0.1;
  if (!begin_ || done.fraction < last_.fraction / 2) {
    begin_ = last_ = Point{done.fraction, elapsed};  // or other work has begun
    first_.reset();
  }
  if (done.fraction != last_.fraction) last_ = {done.fraction, elapsed};
  const double of_this_run = done.fraction - begin_->fraction;
  if (!done.is_known || of_this_run <= 0) {
    return std::nullopt;
  }
  if (!first_) {
    first_ = Point{done.fraction, elapsed};
  }
  const Seconds time = last_.time - first_->time;
  if (time < least || done.fraction <= first_->fraction) {
    return std::nullopt;
  }
  const Seconds left = (1 - done.fraction) / (done.fraction - first_->fraction) * time;
  const auto likely = of_this_run < sure ? left_by_first(left, time, done, elapsed) : left;
  return likely ? std::optional{std::max(elapsed, last_.time + *likely)} : std::nullopt;
}

std::string rounded_text(Seconds time) {
  const double s = time.count();
  if (s < 100) return fmt::format("{:.0f} s", s);
  if (s < 6000) return fmt::format("{:.0f} min", s / 60);
  if (s < 2 * 86400) return fmt::format("{:.2g} h", s / 3600);
  return fmt::format("{:.2g} days", s / 86400);
}

ProgressBar::ProgressBar(std::string title, bool quiet, bool is_confirmed)
    : title_{std::move(title)},
      quiet_{quiet},
      is_confirmed_{is_confirmed},
      is_terminal_{::isatty(STDERR_FILENO) == 1} {}

WorkProgress shown_on(ProgressBar& bar) {
  return [&bar](const WorkDone& done) { bar.show(done); };
}

ProgressBar::~ProgressBar() {
  if (drawn_ != Clock::time_point{}) {
    draw("");
  }
}

void ProgressBar::say(const std::string& text) const {
  if (quiet_) return;
  print_message(
      fmt::format("{}ringcast: {}\n", drawn_ == Clock::time_point{} ? "" : "\r\033[K", text));
}

void ProgressBar::announce_unknown(const WorkDone& done, Seconds elapsed) {
  if (announced_unknown_ || elapsed < RunLimits::unknown_from) return;
  const std::string text = unknown_text(title_, done);
  announced_unknown_ = !text.empty();
  if (announced_unknown_) say(text);
}

void ProgressBar::announce(const WorkDone& done, Seconds elapsed) {
  const std::optional<Seconds> estimate = estimate_.total(done, elapsed);
  if (!estimate && announced_ == Seconds{0}) announce_unknown(done, elapsed);
  const Seconds total = estimate.value_or(Seconds{0});
  // Repeated only if the estimate has more than doubled.
  if (total <= std::max(RunLimits::announced_from, 2 * announced_)) {
    return;
  }
  announced_ = total;
  const bool needs_yes = total >= RunLimits::confirmed_from && !is_confirmed_;
  if (needs_yes && is_terminal_) {
    throw ScenarioError{
        fmt::format("{}: would take about {} (expected --yes, to run it all the same, or fewer "
                    "ranks, sizes or channels)",
                    title_, rounded_text(total))};
  }
  say(fmt::format("{} takes about {}{}", title_, rounded_text(total),
                  needs_yes ? "; on a terminal that needs --yes" : ""));
}

void ProgressBar::show(const WorkDone& done) {
  const Clock::time_point now = Clock::now();
  announce(done, now - begin_);
  if (quiet_ || !is_terminal_ || now - drawn_ < std::chrono::milliseconds{100}) {
    return;
  }
  drawn_ = now;
  draw(progress_line(title_, done, now - begin_));
}

}  // namespace ringcast
