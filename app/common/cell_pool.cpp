#include "app/common/cell_pool.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <memory>
#include <numeric>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/common/signal_watch.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

// What a child says: a head, then a text of the length in it.
enum class Word { progress, success, failure };
struct WordHead {
  Word word;
  int exit_code = 0;
  double fraction = 0;
  std::size_t length = 0;
};

void write_all(int pipe, const void* data, std::size_t size) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(pipe, bytes, size);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      ::_exit(1);  // the parent is gone
    }
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

void say(int pipe, WordHead head, std::string_view text = {}) {
  head.length = text.size();
  write_all(pipe, &head, sizeof head);
  write_all(pipe, text.data(), text.size());
}

// noexcept: an exception that left it would run the parent's code, and end the other children.
[[noreturn]] void run_child(int pipe, pid_t parent, std::size_t cell,
                            const CellWork& work) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) {
    ::_exit(1);  // it died before the line above
  }
  try {
    const std::string result = work(cell, [pipe](double fraction) {
      say(pipe, {.word = Word::progress, .fraction = fraction});
    });
    say(pipe, {.word = Word::success}, result);
  } catch (const std::exception& failure) {
    say(pipe, {.word = Word::failure, .exit_code = exit_code_of(failure)}, failure.what());
  } catch (...) {
    say(pipe, {.word = Word::failure, .exit_code = 1},
        "the simulation threw something that is no exception");
  }
  // No destructors and no exit handlers: they belong to the parent.
  ::_exit(0);
}

/// A running cell: its process and what it has said so far. Killed if dropped.
class Child {
 public:
  Child(std::size_t cell, const CellWork& work, const SignalWatch& signals) : cell_{cell} {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw TransportError{fmt::format("cannot make a pipe: {}", std::strerror(errno))};
    }
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ < 0) {
      const int reason = errno;
      ::close(ends[0]);
      ::close(ends[1]);
      throw TransportError{fmt::format("cannot start a process: {}", std::strerror(reason))};
    }
    if (process_ == 0) {
      signals.restore();
      ::close(ends[0]);
      run_child(ends[1], parent, cell, work);
    }
    ::close(ends[1]);
    pipe_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      static_cast<void>(wait());
    }
    ::close(pipe_);
  }

  [[nodiscard]] std::size_t cell() const { return cell_; }
  [[nodiscard]] int pipe() const { return pipe_; }
  [[nodiscard]] double fraction() const { return fraction_; }
  [[nodiscard]] const CellOutcome& outcome() const { return outcome_; }

  /// Takes what the child has written; false once it has ended.
  bool listen() {
    std::array<char, 65536> bytes{};
    const ssize_t count = ::read(pipe_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) {
      return true;
    }
    if (count > 0) {
      heard_.append(bytes.data(), static_cast<std::size_t>(count));
      understand();
      return true;
    }
    bury();
    return false;
  }

 private:
  void understand() {
    WordHead head{};
    while (heard_.size() >= sizeof head) {
      std::memcpy(&head, heard_.data(), sizeof head);
      if (heard_.size() < sizeof head + head.length) {
        return;
      }
      if (head.word == Word::progress) {
        // 1 is for a cell that has ended. In this order, NaN becomes 0.
        fraction_ = std::min(std::max(0.0, head.fraction), std::nextafter(1.0, 0.0));
      } else {
        spoke_ = true;
        outcome_ = {head.word == Word::success, head.exit_code,
                    heard_.substr(sizeof head, head.length)};
      }
      heard_.erase(0, sizeof head + head.length);
    }
  }

  /// Until the process has ended; how it did.
  [[nodiscard]] int wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

  void bury() {
    const int status = wait();
    if (WIFSIGNALED(status)) {
      outcome_ = {false, 1,
                  fmt::format("the simulation was killed by signal {} ({})", WTERMSIG(status),
                              ::strsignal(WTERMSIG(status)))};
    } else if (!spoke_) {
      outcome_ = {
          false, 1,
          fmt::format("the simulation ended with exit code {} and no result", WEXITSTATUS(status))};
    }
  }

  std::size_t cell_;
  pid_t process_ = -1;
  int pipe_ = -1;
  std::string heard_;
  double fraction_ = 0;
  bool spoke_ = false;
  CellOutcome outcome_;
};

using Children = std::vector<std::unique_ptr<Child>>;

/// Waits until a child has written or ended, or a signal has come; which children have. The timeout
/// covers a signal that comes just before the call.
std::vector<pollfd> wait_for_any(const Children& running) {
  std::vector<pollfd> pipes;
  pipes.reserve(running.size());
  for (const auto& child : running) {
    pipes.push_back({child->pipe(), POLLIN, 0});
  }
  constexpr int timeout_ms = 200;
  if (::poll(pipes.data(), pipes.size(), timeout_ms) <= 0) {
    for (pollfd& pipe : pipes) {
      pipe.revents = 0;
    }
  }
  return pipes;
}

}  // namespace

PoolProgress weighted_progress(std::vector<double> weights, WorkProgress report) {
  if (!report) {
    return {};
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  return [weights = std::move(weights), sum,
          report = std::move(report)](const std::vector<double>& fractions) {
    const double done =
        std::inner_product(weights.begin(), weights.end(), fractions.begin(), 0.0) / sum;
    const auto ended = std::ranges::count(fractions, 1.0);
    report(done, static_cast<std::size_t>(ended), fractions.size());
  };
}

std::vector<CellOutcome> run_cells(std::size_t cells, int jobs, const CellWork& work,
                                   const PoolProgress& progress) {
  const SignalWatch signals;
  std::vector<CellOutcome> outcomes(cells);
  std::vector<double> fractions(cells, 0.0);
  Children running;
  const auto listen_to = [&](std::size_t place) {
    Child& child = *running[place];
    if (child.listen()) {
      fractions[child.cell()] = child.fraction();
      return;
    }
    fractions[child.cell()] = 1.0;
    outcomes[child.cell()] = child.outcome();
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(place));
  };
  std::size_t unstarted = cells;
  while (unstarted > 0 || !running.empty()) {
    while (unstarted > 0 && running.size() < static_cast<std::size_t>(std::max(jobs, 1))) {
      running.push_back(std::make_unique<Child>(--unstarted, work, signals));
    }
    const std::vector<pollfd> pipes = wait_for_any(running);
    SignalWatch::throw_if_noted();  // the children end with their owners
    for (std::size_t i = pipes.size(); i-- > 0;) {
      if (pipes[i].revents != 0) {
        listen_to(i);
      }
    }
    if (progress) {
      progress(fractions);
    }
  }
  SignalWatch::throw_if_noted();
  return outcomes;
}

}  // namespace ringcast
