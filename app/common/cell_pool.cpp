#include "app/common/cell_pool.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "app/common/mapped.hpp"
#include "app/common/signal_watch.hpp"
#include "engine/numbers/error.hpp"
#include "engine/system/child_process.hpp"

namespace ringcast {
namespace {

// A message from a child: a header, then a text of the length in it.
struct MessageHeader {
  CellProgress progress = {};
  std::optional<int> exit_code = {};  // of a cell that has ended
  Seconds took{0};
  std::size_t length = 0;
};
static_assert(std::is_trivially_copyable_v<MessageHeader>);

void send_message(int pipe, MessageHeader header, std::string_view text = {}) {
  header.length = text.size();
  if (!write_all(pipe, &header, sizeof header) || !write_all(pipe, text.data(), text.size())) {
    ::_exit(1);  // the parent is gone
  }
}

using Clock = std::chrono::steady_clock;

void run_cell(int pipe, std::size_t cell, const CellWork& work) {
  const Clock::time_point begin = Clock::now();
  Clock::time_point last_recorded = begin;
  try {
    const std::string result = work(cell, [&](const CellProgress& progress) {
      constexpr std::chrono::milliseconds between{100};
      if (progress.recorded && Clock::now() - last_recorded < between) return;
      if (progress.recorded) last_recorded = Clock::now();
      send_message(pipe, {.progress = progress});
    });
    send_message(pipe, {.exit_code = 0, .took = Clock::now() - begin}, result);
  } catch (const std::exception& failure) {
    send_message(pipe, {.exit_code = exit_code_of(failure)}, text_of(failure));
  } catch (...) {
    send_message(pipe, {.exit_code = 1}, "the simulation threw something that is no exception");
  }
}

/// SIGKILL: by the kernel when memory runs out. SIGXCPU: at the user's limit of CPU time. The
/// signals of a crash are bugs of ringcast.
CellOutcome killed_by(int signal) {
  const std::string text = "the simulation was killed by " + signal_text(signal);
  switch (signal) {
    case SIGKILL:
      return {TransportError::code,
              text +
                  ", as Linux does when memory runs out (expected more free memory: fewer --jobs, "
                  "fewer ranks or larger segments)"};
    case SIGXCPU:
      return {TransportError::code, text + " (expected a higher limit than that of ulimit -t)"};
    case SIGHUP:
    case SIGINT:
    case SIGTERM:
      return {TransportError::code,
              text + " from outside (expected to run to its end; run it again)"};
    default:
      return {1, text};
  }
}

/// The end of the queue from which a process is given its cells.
enum class QueueEnd { front, back };

std::optional<std::size_t> take(std::deque<std::size_t>& queue, QueueEnd end) {
  if (queue.empty()) return std::nullopt;
  const std::size_t cell = end == QueueEnd::front ? queue.front() : queue.back();
  end == QueueEnd::front ? queue.pop_front() : queue.pop_back();
  return cell;
}

/// A process that runs cells, and the progress of the running one.
struct CellProcess {
  CellProcess(std::deque<std::size_t>& queue, QueueEnd its_end, CellsOfProcess cells_of_process,
              const CellWork& work)
      : end{its_end},
        cells{cells_of_process},
        cell{take(queue, end)},
        next{::eventfd(0, EFD_CLOEXEC)},
        child{[&](int pipe) {
          SignalWatch::restore();
          eventfd_t number = *cell + 1;
          do {
            run_cell(pipe, number - 1, work);
          } while (::eventfd_read(next.value(), &number) == 0);
        }} {}

  /// Consumes the messages that have arrived in full.
  void parse(CellBook& known) {
    std::string& text = child.output.text;
    MessageHeader header{};
    while (text.size() >= sizeof header) {
      std::memcpy(&header, text.data(), sizeof header);
      if (text.size() < sizeof header + header.length) {
        return;
      }
      if (header.exit_code) {
        const std::size_t ended = *cell;
        begin_next(known.queue);
        known.end(ended, {*header.exit_code, text.substr(sizeof header, header.length)},
                  header.took);
      } else {
        header.progress.whole = std::max(progress.whole, header.progress.whole);
        progress = header.progress;
        // 1 is for a cell that has ended. In this order, NaN becomes 0.
        progress.fraction = std::min(std::max(0.0, progress.fraction), std::nextafter(1.0, 0.0));
      }
      text.erase(0, sizeof header + header.length);
    }
  }

  /// Assigns the next cell, unless the process has run its last one.
  void begin_next(std::deque<std::size_t>& queue) {
    cell = cells == CellsOfProcess::any ? take(queue, end) : std::nullopt;
    if (cell) ::eventfd_write(next.value(), *cell + 1);  // zero would not wake it
    begin = Clock::now();
    progress = {};
  }

  /// The failure of a cell whose process has ended before it.
  [[nodiscard]] CellOutcome reap() {
    const int exit_code = child.reap();
    if (const auto signal = signal_of(exit_code)) {
      return killed_by(*signal);
    }
    return {1, fmt::format("the simulation ended with exit code {} and no result", exit_code)};
  }

  /// Whether the cell has run long enough to report progress, and has not.
  [[nodiscard]] bool is_silent() const {
    constexpr Seconds time_to_report{0.5};
    return cell && progress.fraction == 0 && Clock::now() - begin > time_to_report;
  }

  QueueEnd end;
  CellsOfProcess cells;
  std::optional<std::size_t> cell;  // that runs
  Descriptor next;                  // eventfd: the number of its next cell, plus one
  Clock::time_point begin = Clock::now();
  CellProgress progress;
  Child child;
};

RunningCells state_of(const std::vector<std::unique_ptr<CellProcess>>& running) {
  RunningCells state;
  for (const auto& each : running) {
    state.without_fraction += each->is_silent() ? 1U : 0U;
    state.longest = std::max(state.longest, each->progress.whole.value_or(Seconds{0}));
    if (each->progress.recorded) {
      state.recorded = std::min(state.recorded.value_or(1), *each->progress.recorded);
    }
  }
  return state;
}

/// Handles the messages of a process; true if it has no cell any more. If the process ended before
/// its cell, the cell has failed.
bool is_finished(CellProcess& process, CellBook& known) {
  process.parse(known);
  if (!process.cell) return true;
  if (!process.child.output.pipe.is_open()) {
    known.end(*process.cell, process.reap(), Seconds{0});
    return true;
  }
  known.fractions[*process.cell] = process.progress.fraction;
  return false;
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
            std::max(running.longest, (1 - done / sum) * foreseen), running.recorded});
  };
}

std::vector<CellOutcome> run_cells(std::size_t cells, int jobs, const CellWork& work,
                                   const PoolProgress& progress, const CellMemory& memory,
                                   CellsOfProcess cells_of_process) {
  const auto at_once = static_cast<std::size_t>(std::max(jobs, 1));
  const SignalWatch signals;
  CellBook known{memory, cells};
  std::vector<std::unique_ptr<CellProcess>> running;
  const auto report_progress = [&] {
    if (progress) progress(known.fractions, state_of(running));
  };
  if (known.queue.size() < cells) {
    report_progress();  // stored outcomes
  }
  while (!SignalWatch::has_noted() && !(known.queue.empty() && running.empty())) {
    while (!known.queue.empty() && running.size() < at_once) {
      // The last cells are often the longest: one of several processes begins with them, so that no
      // core idles at the end. The others begin with the first: an interrupted run has some rows.
      const bool back = at_once > 1 && std::ranges::none_of(running, [](const auto& each) {
                          return each->end == QueueEnd::back;
                        });
      running.push_back(std::make_unique<CellProcess>(
          known.queue, back ? QueueEnd::back : QueueEnd::front, cells_of_process, work));
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
  return std::move(known.outcomes);  // the destructors of `running` end the children
}

}  // namespace ringcast
