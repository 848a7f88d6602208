#include "app/common/child_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/common/descriptor.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

std::string reason(int code) {
  return std::generic_category().message(code);
}

/// A file in memory that holds `text`, at its beginning: no pipe to fill while others are read.
Descriptor file_of(std::string_view text) {
  Descriptor file{::memfd_create("input", MFD_CLOEXEC)};
  std::size_t written = 0;
  while (file.is_open() && written < text.size()) {
    const ssize_t count = ::write(file.value(), text.data() + written, text.size() - written);
    if (count <= 0) {
      file.close_now();
      break;
    }
    written += static_cast<std::size_t>(count);
  }
  if (!file.is_open() || ::lseek(file.value(), 0, SEEK_SET) != 0) {
    throw TransportError{fmt::format("no input for a child process: {}", reason(errno))};
  }
  return file;
}

/// Which of the child's descriptors go where.
class SpawnActions {
 public:
  SpawnActions() { ::posix_spawn_file_actions_init(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }

  void duplicate(const Descriptor& from, int as) {
    ::posix_spawn_file_actions_adddup2(&actions_, from.value(), as);
  }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// A started process. Killed and waited for if its outcome is never asked for: no zombie stays.
class Child {
 public:
  explicit Child(pid_t process) : process_{process} {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      wait();
    }
  }

  /// The status as waitpid gives it.
  int wait() noexcept {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

 private:
  pid_t process_;
};

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    bool replaced = false;
    for (const auto& [name, value] : added) {
      replaced = replaced || (text.starts_with(name) && text.substr(name.size()).starts_with('='));
    }
    if (!replaced) {
      all.emplace_back(text);
    }
  }
  for (const auto& [name, value] : added) {
    all.push_back(fmt::format("{}={}", name, value));
  }
  return all;
}

pid_t spawn(const ChildCommand& command, const SpawnActions& actions) {
  std::vector<std::string> words{command.program};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> environment = environment_with(command.environment);
  pid_t process = -1;
  const int code =
      ::posix_spawnp(&process, command.program.c_str(), actions.get(), nullptr,
                     argument_pointers(words).data(), argument_pointers(environment).data());
  if (code != 0) {
    throw BackendUnavailable{
        fmt::format("{}: cannot be started: {}", command.program, reason(code))};
  }
  return process;
}

/// Appends what is there to read; closes the descriptor at its end.
void read_some(Descriptor& from, std::string& to) {
  std::array<char, 65536> block{};
  const ssize_t count = ::read(from.value(), block.data(), block.size());
  if (count > 0) {
    to.append(block.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || errno != EINTR) {
    from.close_now();
  }
}

/// Both at once: a child that fills one pipe while the other is read would wait for ever.
void read_both(Descriptor& output, std::string& output_text, Descriptor& errors,
               std::string& errors_text) {
  while (output.is_open() || errors.is_open()) {
    // poll() leaves negative descriptors out.
    std::array<pollfd, 2> ready{pollfd{output.value(), POLLIN, 0},
                                pollfd{errors.value(), POLLIN, 0}};
    if (::poll(ready.data(), ready.size(), -1) < 0) {
      if (errno == EINTR) {
        continue;
      }
      throw TransportError{fmt::format("reading from a child process: {}", reason(errno))};
    }
    if (ready[0].revents != 0) {
      read_some(output, output_text);
    }
    if (ready[1].revents != 0) {
      read_some(errors, errors_text);
    }
  }
}

}  // namespace

std::vector<char*> argument_pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    all.push_back(text.data());
  }
  all.push_back(nullptr);
  return all;
}

Pipe open_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw TransportError{fmt::format("no pipe for a child process: {}", reason(errno))};
  }
  return {Descriptor{ends[0]}, Descriptor{ends[1]}};
}

ChildOutcome run_child(const ChildCommand& command) {
  Pipe output = open_pipe();
  Pipe errors = open_pipe();
  SpawnActions actions;
  const Descriptor input = file_of(command.input);
  actions.duplicate(input, STDIN_FILENO);
  actions.duplicate(output.write_end, STDOUT_FILENO);
  actions.duplicate(errors.write_end, STDERR_FILENO);
  Child child{spawn(command, actions)};
  output.write_end.close_now();
  errors.write_end.close_now();

  ChildOutcome outcome;
  read_both(output.read_end, outcome.output, errors.read_end, outcome.errors);
  const int status = child.wait();
  if (WIFSIGNALED(status)) {
    outcome.signal = WTERMSIG(status);
  } else {
    outcome.exit_status = WEXITSTATUS(status);
  }
  return outcome;
}

}  // namespace ringcast
