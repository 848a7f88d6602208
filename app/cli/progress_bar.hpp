#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace ringcast {

/// A line on standard error that is drawn again and again; only where that is a terminal.
class ProgressBar {
 public:
  /// `quiet` silences it on a terminal too.
  ProgressBar(std::string title, bool quiet);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Wipes the line.
  ~ProgressBar();
  /// `fraction` of the work is done, `ended` of `cells` are finished.
  void show(double fraction, std::size_t ended, std::size_t cells);

 private:
  using Clock = std::chrono::steady_clock;
  std::string title_;
  bool visible_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point drawn_{};
};

/// Draws the bar as often as it is called; the bar must outlive it.
[[nodiscard]] std::function<void(double fraction, std::size_t ended, std::size_t cells)> shown_on(
    ProgressBar& bar);

/// `predict  [#####...............]  25 %  2/8 cells  12 s left`; what ProgressBar draws.
[[nodiscard]] std::string progress_line(const std::string& title, double fraction,
                                        std::size_t ended, std::size_t cells,
                                        std::chrono::duration<double> elapsed);

}  // namespace ringcast
