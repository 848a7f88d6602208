#include "app/common/cell_pool.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/common/mapped.hpp"
#include "app/common/signal_watch.hpp"
#include "engine/numbers/error.hpp"
#include "engine/system/child_process.hpp"

namespace ringcast {
namespace {

// A message from a child: a header, then a text of the length in it.
enum class MessageKind { progress, success, failure };
struct MessageHeader {
  MessageKind kind;
  int exit_code = 0;
  double fraction = 0;
  double whole_s = 0;  // zero: not known
  std::size_t length = 0;
};

void send_message(int pipe, MessageHeader header, std::string_view text = {}) {
  header.length = text.size();
  if (!write_all(pipe, &header, sizeof header) || !write_all(pipe, text.data(), text.size())) {
    ::_exit(1);  // the parent is gone
  }
}

void run_cell(int pipe, std::size_t cell, const CellWork& work) {
  try {
    const std::string result = work(cell, [pipe](const CellProgress& progress) {
      send_message(pipe, {.kind = MessageKind::progress,
                          .fraction = progress.fraction,
                          .whole_s = progress.whole.value_or(Seconds{0}).count()});
    });
    send_message(pipe, {.kind = MessageKind::success}, result);
  } catch (const std::exception& failure) {
    send_message(pipe, {.kind = MessageKind::failure, .exit_code = exit_code_of(failure)},
                 text_of(failure));
  } catch (...) {
    send_message(pipe, {.kind = MessageKind::failure, .exit_code = 1},
                 "the simulation threw something that is no exception");
  }
}

/// SIGKILL is the kernel's when memory runs out, SIGXCPU at a limit of its user; the signals of a
/// crash are bugs of ringcast.
CellOutcome killed_by(int signal) {
  const std::string text =
      fmt::format("the simulation was killed by signal {} ({})", signal, sigdescr_np(signal));
  switch (signal) {
    case SIGKILL:
      return {false, TransportError::code,
              text +
                  ", as Linux does when memory runs out (expected more free memory: fewer --jobs, "
                  "fewer ranks or larger segments)"};
    case SIGXCPU:
      return {false, TransportError::code,
              text + " (expected a higher limit than that of ulimit -t)"};
    case SIGHUP:
    case SIGINT:
    case SIGTERM:
      return {false, TransportError::code,
              text + " from outside (expected to run to its end; run it again)"};
    default:
      return {false, 1, text};
  }
}

/// A process with its cells, the first of which it works on, and what it has reported of that one.
struct CellProcess {
  CellProcess(std::vector<std::size_t> numbers, const CellWork& work)
      : cells{std::move(numbers)}, child{[&](int pipe) {
          SignalWatch::restore();
          for (const std::size_t cell : cells)
            run_cell(pipe, cell, work);
        }} {}

  /// Consumes the whole messages that have come.
  void parse(CellBook& known) {
    std::string& text = child.output.text;
    MessageHeader header{};
    while (text.size() >= sizeof header) {
      std::memcpy(&header, text.data(), sizeof header);
      if (text.size() < sizeof header + header.length) {
        return;
      }
      if (header.kind == MessageKind::progress) {
        // 1 is for a cell that has ended. In this order, NaN becomes 0.
        fraction = std::min(std::max(0.0, header.fraction), std::nextafter(1.0, 0.0));
        whole = std::max(whole, Seconds{header.whole_s});
      } else {
        known.end(cells.front(),
                  {header.kind == MessageKind::success, header.exit_code,
                   text.substr(sizeof header, header.length)},
                  age());
        cells.erase(cells.begin());
        begin = Clock::now();
        fraction = 0;
        whole = Seconds{0};
      }
      text.erase(0, sizeof header + header.length);
    }
  }

  /// Why the process has ended before its cells.
  [[nodiscard]] CellOutcome reap() {
    const int status = child.reap();
    if (WIFSIGNALED(status)) {
      return killed_by(WTERMSIG(status));
    }
    return {
        false, 1,
        fmt::format("the simulation ended with exit code {} and no result", WEXITSTATUS(status))};
  }

  [[nodiscard]] Seconds age() const { return Clock::now() - begin; }
  /// It has had the time to report progress, and has not.
  [[nodiscard]] bool is_silent() const {
    constexpr Seconds time_to_report{0.5};
    return fraction == 0 && age() > time_to_report;
  }

  using Clock = std::chrono::steady_clock;
  std::vector<std::size_t> cells;  // without an outcome
  Clock::time_point begin = Clock::now();
  Child child;
  double fraction = 0;
  Seconds whole{0};
};

RunningCells state_of(const std::vector<std::unique_ptr<CellProcess>>& running) {
  RunningCells state;
  for (const auto& each : running) {
    state.without_fraction += each->is_silent() ? 1U : 0U;
    state.longest = std::max(state.longest, each->whole);
  }
  return state;
}

/// Takes what a process has said. A process that ends before its cells leaves the first of them as
/// failed and the others to start anew.
bool is_finished(CellProcess& process, CellBook& known) {
  process.parse(known);
  std::vector<std::size_t>& left = process.cells;
  if (process.child.output.pipe.is_open()) {
    if (!left.empty()) known.fractions[left.front()] = process.fraction;
    return false;
  }
  const CellOutcome failure = process.reap();
  if (!left.empty()) {
    known.end(left.front(), failure, process.age());
    known.unstarted.insert(known.unstarted.end(), left.rbegin(), left.rend() - 1);
  }
  return true;
}

/// How many of the last of `unstarted` the next of `jobs` processes takes.
std::size_t size_of_batch(const std::vector<std::size_t>& unstarted, std::size_t jobs,
                          const std::vector<Seconds>& expected) {
  if (expected.empty()) return 1;
  Seconds left{0};
  for (const std::size_t cell : unstarted)
    left += expected[cell];
  const Seconds share = left / static_cast<double>(2 * jobs);
  Seconds taken = expected[unstarted.back()];
  std::size_t count = 1;
  for (; count < unstarted.size(); ++count) {
    taken += expected[unstarted[unstarted.size() - 1 - count]];
    if (taken > share) break;
  }
  return count;
}

}  // namespace

PoolProgress weighted_progress(std::vector<Seconds> expected, WorkProgress report,
                               Seconds foreseen) {
  if (!report || expected.empty()) {
    return {};
  }
  const Seconds sum = std::accumulate(expected.begin(), expected.end(), Seconds{0});
  return [expected = std::move(expected), sum, report = std::move(report), foreseen](
             const std::vector<double>& fractions, const RunningCells& running) {
    const Seconds done = std::inner_product(expected.begin(), expected.end(), fractions.begin(),
                                            Seconds{0}, std::plus{}, std::multiplies{});
    const auto ended = std::ranges::count(fractions, 1.0);
    report({done / sum, static_cast<std::size_t>(ended), fractions.size(),
            running.without_fraction == 0, sum,
            std::max(running.longest, (1 - done / sum) * foreseen)});
  };
}

std::vector<CellOutcome> run_cells(std::size_t cells, int jobs, const CellWork& work,
                                   const PoolProgress& progress, const CellMemory& memory,
                                   const std::vector<Seconds>& expected) {
  const auto at_once = static_cast<std::size_t>(std::max(jobs, 1));
  const SignalWatch signals;
  CellBook known{memory, cells};
  std::vector<std::size_t>& unstarted = known.unstarted;
  std::vector<std::unique_ptr<CellProcess>> running;
  const auto report_progress = [&] {
    if (progress) progress(known.fractions, state_of(running));
  };
  if (unstarted.size() < cells) {
    report_progress();  // what was known before
  }
  while (!SignalWatch::has_noted() && !(unstarted.empty() && running.empty())) {
    while (!unstarted.empty() && running.size() < at_once) {
      const std::size_t batch = size_of_batch(unstarted, at_once, expected);
      running.push_back(std::make_unique<CellProcess>(known.take(batch), work));
    }
    constexpr int timeout_ms = 200;  // covers a signal that comes just before poll()
    read_available(mapped(running, [](const auto& each) { return &each->child.output; }),
                   timeout_ms);
    if (SignalWatch::has_noted()) {
      break;  // a terminal's Ctrl-C may have ended the cells: they have not failed
    }
    std::erase_if(running, [&](const auto& each) { return is_finished(*each, known); });
    report_progress();
  }
  return std::move(known.outcomes);  // the children end with their owners
}

}  // namespace ringcast
