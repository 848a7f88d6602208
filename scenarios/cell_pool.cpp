#include "scenarios/cell_pool.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringcast {
namespace {

// What a child says: a letter, an exit code, the length of the text, the text.
enum class Word : char { progress = 'p', success = 's', failure = 'f' };
struct WordHead {
  Word word;
  int exit_code;
  std::size_t length;
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

void say(int pipe, Word word, std::string_view text, int exit_code = 0) {
  const WordHead head{word, exit_code, text.size()};
  write_all(pipe, &head, sizeof head);
  write_all(pipe, text.data(), text.size());
}

[[noreturn]] void run_child(int pipe, std::size_t cell, const CellWork& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    const std::string result = work(
        cell, [pipe](double fraction) { say(pipe, Word::progress, fmt::format("{}", fraction)); });
    say(pipe, Word::success, result);
  } catch (const std::exception& failure) {
    say(pipe, Word::failure, failure.what(), exit_code_of(failure));
  }
  // No destructors and no exit handlers: they belong to the parent.
  ::_exit(0);
}

volatile std::sig_atomic_t interrupted = 0;

/// Notes SIGINT and SIGTERM instead of dying, for as long as it lives.
class SignalWatch {
 public:
  SignalWatch() {
    interrupted = 0;
    struct sigaction note {};
    note.sa_handler = [](int /*signal*/) { interrupted = 1; };
    ::sigaction(SIGINT, &note, &old_int_);
    ::sigaction(SIGTERM, &note, &old_term_);
  }
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch() { restore(); }
  void restore() const {
    ::sigaction(SIGINT, &old_int_, nullptr);
    ::sigaction(SIGTERM, &old_term_, nullptr);
  }

 private:
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
};

/// A running cell: its process and what it has said so far. Killed if dropped.
class Child {
 public:
  Child(std::size_t cell, const CellWork& work, const SignalWatch& signals) : cell_{cell} {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) {
      throw TransportError{fmt::format("cannot make a pipe: {}", std::strerror(errno))};
    }
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
      run_child(ends[1], cell, work);
    }
    ::close(ends[1]);
    pipe_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
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
      const std::string text = heard_.substr(sizeof head, head.length);
      heard_.erase(0, sizeof head + head.length);
      if (head.word == Word::progress) {
        fraction_ = std::stod(text);
      } else {
        spoke_ = true;
        outcome_ = {head.word == Word::success, head.exit_code, text};
      }
    }
  }

  void bury() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    if (WIFSIGNALED(status)) {
      outcome_ = {false, 1,
                  fmt::format("the simulation was killed by signal {} ({})", WTERMSIG(status),
                              ::strsignal(WTERMSIG(status)))};
    } else if (!spoke_) {
      outcome_ = {
          false, true,
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

}  // namespace

std::vector<CellOutcome> run_cells(std::size_t cells, int jobs, const CellWork& work,
                                   const PoolProgress& progress) {
  const SignalWatch signals;
  std::vector<CellOutcome> outcomes(cells);
  std::vector<double> fractions(cells, 0.0);
  std::vector<std::unique_ptr<Child>> running;
  std::size_t unstarted = cells;
  while (unstarted > 0 || !running.empty()) {
    while (unstarted > 0 && running.size() < static_cast<std::size_t>(std::max(jobs, 1))) {
      running.push_back(std::make_unique<Child>(--unstarted, work, signals));
    }
    std::vector<pollfd> pipes;
    for (const auto& child : running) {
      pipes.push_back({child->pipe(), POLLIN, 0});
    }
    // The timeout covers a signal that comes just before the call.
    const int ready = ::poll(pipes.data(), pipes.size(), 200);
    if (interrupted != 0) {
      throw Interrupted{};  // the children end with their owners
    }
    for (std::size_t i = pipes.size(); ready > 0 && i-- > 0;) {
      if (pipes[i].revents == 0) {
        continue;
      }
      Child& child = *running[i];
      const bool goes_on = child.listen();
      fractions[child.cell()] = goes_on ? child.fraction() : 1.0;
      if (!goes_on) {
        outcomes[child.cell()] = child.outcome();
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    if (progress) {
      progress(fractions);
    }
  }
  return outcomes;
}

}  // namespace ringcast
