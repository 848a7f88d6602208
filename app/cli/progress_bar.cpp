#include "app/cli/progress_bar.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace ringcast {
namespace {

/// Replaces the terminal's line.
void draw(const std::string& line) {
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
}

}  // namespace

std::string progress_line(const std::string& title, double fraction, std::size_t ended,
                          std::size_t cells, std::chrono::duration<double> elapsed) {
  constexpr int width = 30;
  const double done = std::clamp(fraction, 0.0, 1.0);
  const int filled = static_cast<int>(done * width);
  std::string line = fmt::format("{}  [{:#>{}}{:.>{}}]  {} %  {}/{} cells", title, "", filled, "",
                                 width - filled, static_cast<int>(100 * done), ended, cells);
  // Too early an estimate only jumps about.
  if (done > 0.05 && done < 1 && elapsed.count() > 1) {
    line += fmt::format("  {:.0f} s left", elapsed.count() * (1 - done) / done);
  }
  return line;
}

ProgressBar::ProgressBar(std::string title, bool quiet)
    : title_{std::move(title)}, visible_{!quiet && ::isatty(STDERR_FILENO) == 1} {}

std::function<void(double, std::size_t, std::size_t)> shown_on(ProgressBar& bar) {
  return [&bar](double fraction, std::size_t ended, std::size_t cells) {
    bar.show(fraction, ended, cells);
  };
}

ProgressBar::~ProgressBar() {
  if (visible_ && drawn_ != Clock::time_point{}) {
    draw("");
  }
}

void ProgressBar::show(double fraction, std::size_t ended, std::size_t cells) {
  const Clock::time_point now = Clock::now();
  if (!visible_ || now - drawn_ < std::chrono::milliseconds{100}) {
    return;
  }
  drawn_ = now;
  draw(progress_line(title_, fraction, ended, cells, now - begin_));
}

}  // namespace ringcast
