#include "engine/system/child_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

constexpr int signalled = 128;
/// The exit code of a child that was reaped elsewhere: a failure, for all that is known.
constexpr int unknown_exit_code = 1;

/// The exit code for a status of waitpid().
int exit_code_of(int status) {
  return WIFSIGNALED(status) ? signalled + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string reason(int code) {
  return std::generic_category().message(code);
}

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw TransportError{fmt::format("no pipe for a child process: {}", reason(errno))};
    }
    read_end = Descriptor{ends[0]};
    write_end = Descriptor{ends[1]};
  }
  Descriptor read_end;
  Descriptor write_end;
};

/// A file in memory with `text`, open for reading: unlike a pipe, it need not be filled while other
/// pipes are read.
Descriptor file_of(std::string_view text) {
  Descriptor file{text.empty() ? ::open("/dev/null", O_RDONLY | O_CLOEXEC)
                               : ::memfd_create("input", MFD_CLOEXEC)};
  if (!file.is_open() || !write_all(file.value(), text.data(), text.size()) ||
      ::lseek(file.value(), 0, SEEK_SET) != 0) {
    throw TransportError{fmt::format("no input for a child process: {}", reason(errno))};
  }
  return file;
}

/// Ends of children may be ignored in a process by inheritance (from a daemon, or a shell); the
/// system then discards their exit codes.
void notice_ends_of_children() {
  struct sigaction action {};
  ::sigaction(SIGCHLD, nullptr, &action);
  if (action.sa_handler == SIG_IGN) ::signal(SIGCHLD, SIG_DFL);
}

// noexcept: an exception that leaves it would unwind the parent's stack in the child, and kill the
// parent's other children.
[[noreturn]] void run_body(const std::function<void()>& body, pid_t parent,
                           int parent_death_signal) noexcept {
  ::prctl(PR_SET_PDEATHSIG, parent_death_signal);
  if (::getppid() == parent) {  // otherwise it died before prctl()
    body();
  }
  ::_exit(0);
}

}  // namespace

std::optional<int> signal_of(int exit_code) {
  const bool has_name = exit_code > signalled && sigdescr_np(exit_code - signalled) != nullptr;
  return has_name ? std::optional{exit_code - signalled} : std::nullopt;
}

std::string signal_text(int signal) {
  return fmt::format("signal {} ({})", signal, sigdescr_np(signal));
}

bool write_all(int descriptor, const void* data, std::size_t size) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(descriptor, bytes, size);
    if (written > 0) {
      bytes += written;
      size -= static_cast<std::size_t>(written);
    } else if (written == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool read_available(const std::vector<PipeReader*>& readers, int timeout_ms) {
  // poll() skips negative descriptors.
  std::vector<pollfd> ready;
  ready.reserve(readers.size());
  for (const PipeReader* reader : readers)
    ready.push_back({reader->pipe.value(), POLLIN, 0});
  if (::poll(ready.data(), ready.size(), timeout_ms) <= 0) {
    return false;
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    if (ready[i].revents == 0) {
      continue;
    }
    std::array<char, 65536> block{};
    const ssize_t count = ::read(ready[i].fd, block.data(), block.size());
    if (count > 0) {
      readers[i]->text.append(block.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      readers[i]->pipe.close_now();
    }
  }
  return true;
}

Child::Child(const std::function<void(int pipe)>& work) {
  Pipe pipe;
  start(
      [&] {
        pipe.read_end.close_now();
        work(pipe.write_end.value());
      },
      SIGKILL);
  output.pipe = std::move(pipe.read_end);
}

Child::Child(const ChildCommand& command) {
  Pipe out;
  Pipe err;
  Pipe failure;  // closed by exec(), or receives why it failed
  const Descriptor in = file_of(command.input);
  std::vector<const char*> words{command.program.c_str()};
  for (const std::string& argument : command.arguments) {
    words.push_back(argument.c_str());
  }
  words.push_back(nullptr);
  start(
      [&] {
        if (command.own_group) {
          ::setpgid(0, 0);
        }
        for (const auto& [name, value] : command.environment) {
          ::setenv(name.c_str(), value.c_str(), 1);
        }
        if (::dup2(in.value(), STDIN_FILENO) >= 0 &&
            ::dup2(out.write_end.value(), STDOUT_FILENO) >= 0 &&
            ::dup2(err.write_end.value(), STDERR_FILENO) >= 0) {
          // exec() modifies none of the words; its signature predates const.
          ::execvp(words[0], const_cast<char* const*>(words.data()));
        }
        const std::string why = reason(errno);
        static_cast<void>(write_all(failure.write_end.value(), why.data(), why.size()));
      },
      SIGTERM);
  failure.write_end.close_now();
  PipeReader why{std::move(failure.read_end), {}};
  while (why.pipe.is_open()) {
    read_available({&why}, -1);
  }
  if (!why.text.empty()) {
    reap();
    throw BackendUnavailable{fmt::format("{}: cannot be started: {}", command.program, why.text)};
  }
  output.pipe = std::move(out.read_end);
  errors.pipe = std::move(err.read_end);
}

void Child::start(const std::function<void()>& body, int parent_death_signal) {
  notice_ends_of_children();
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ < 0) {
    throw TransportError{fmt::format("cannot start a process: {}", reason(errno))};
  }
  if (id_ == 0) {
    run_body(body, parent, parent_death_signal);
  }
}

Child::~Child() {
  if (!exit_code_) {
    ::kill(id_, SIGKILL);
    reap();
  }
}

/// `options`: those of waitpid().
void Child::try_to_reap(int options) noexcept {
  if (exit_code_) return;
  int status = 0;
  const pid_t found = ::waitpid(id_, &status, options);
  if (found == id_) {
    exit_code_ = exit_code_of(status);
  } else if (found < 0 && errno != EINTR) {
    exit_code_ = unknown_exit_code;
  }
}

int Child::reap() noexcept {
  while (!exit_code_) {
    try_to_reap(0);
  }
  return *exit_code_;
}

bool Child::reap_within(double seconds) noexcept {
  constexpr int step_ms = 10;
  try_to_reap(WNOHANG);
  for (double waited = 0; !exit_code_ && waited < seconds; waited += step_ms / 1e3) {
    ::poll(nullptr, 0, step_ms);
    try_to_reap(WNOHANG);
  }
  return exit_code_.has_value();
}

// Both pipes at once: a child that fills one while only the other is read would block.
ChildOutcome Child::finish() {
  while (output.pipe.is_open() || errors.pipe.is_open()) {
    read_available({&output, &errors}, -1);
  }
  return {reap(), std::move(output.text), std::move(errors.text)};
}

ChildOutcome run_child(const ChildCommand& command) {
  return Child{command}.finish();
}

}  // namespace ringcast
