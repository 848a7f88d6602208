#include "app/measure/job.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/common/child_process.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

constexpr int poll_ms = 100;
// mpirun gives its ranks a second between SIGTERM and SIGKILL; a second more for each of its own
// steps.
constexpr double time_to_end_s = 5;

// In a process group of its own: a terminal's Ctrl-C reaches this process only, which ends the job
// once. mpirun takes a second signal as a wish to leave its ranks behind.
[[noreturn]] void become(std::vector<char*>& words, pid_t parent, const Pipe& output,
                         const Pipe& errors, int failure_pipe) noexcept {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (::getppid() == parent && ::dup2(nothing, STDIN_FILENO) >= 0 &&
      ::dup2(output.write_end.value(), STDOUT_FILENO) >= 0 &&
      ::dup2(errors.write_end.value(), STDERR_FILENO) >= 0) {
    ::execvp(words.front(), words.data());
  }
  const int reason = errno;
  static_cast<void>(::write(failure_pipe, &reason, sizeof reason));
  ::_exit(127);
}

/// Takes what is there to read; closes the descriptor at its end.
void read_some(Descriptor& from, std::string& to) {
  std::array<char, 65536> block{};
  const ssize_t count = ::read(from.value(), block.data(), block.size());
  if (count > 0) {
    to.append(block.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || errno != EINTR) {
    from.close_now();
  }
}

std::vector<std::string> take_lines(std::string& text, bool all) {
  std::vector<std::string> lines;
  if (all && !text.empty() && text.back() != '\n') {
    text += '\n';
  }
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', begin)) {
    std::string line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) {  // a launcher may have put a terminal between
      line.pop_back();
    }
    lines.push_back(std::move(line));
    begin = end + 1;
  }
  text.erase(0, begin);
  return lines;
}

/// The processes whose parent is this one.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc", none}) {
    const std::string name = entry.path().filename();
    std::ifstream file{entry.path() / "stat"};
    std::string text;
    // pid (any name) state parent ...
    if (name.find_first_not_of("0123456789") == name.npos && std::getline(file, text)) {
      const std::size_t after_name = text.rfind(')');
      if (after_name != text.npos && std::atoi(text.c_str() + after_name + 4) == ::getpid()) {
        found.push_back(std::stoi(name));
      }
    }
  }
  return found;
}

/// What the launcher left behind, one generation after the other.
void end_orphans() noexcept {
  while (true) {
    const std::vector<pid_t> left = children();
    if (left.empty()) {
      return;
    }
    for (const pid_t process : left) {
      ::kill(process, SIGKILL);
      while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
  }
}

}  // namespace

Job::Job(std::vector<std::string> command, const SignalWatch& signals) {
  Pipe output = open_pipe();
  Pipe errors = open_pipe();
  Pipe failure = open_pipe();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::vector<char*> words = argument_pointers(command);
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ < 0) {
    throw TransportError{
        fmt::format("cannot start a process: {}", std::generic_category().message(errno))};
  }
  if (process_ == 0) {
    signals.restore();
    become(words, parent, output, errors, failure.write_end.value());
  }
  output.write_end.close_now();
  errors.write_end.close_now();
  failure.write_end.close_now();
  int reason = 0;
  if (::read(failure.read_end.value(), &reason, sizeof reason) == sizeof reason) {
    static_cast<void>(ended_within(time_to_end_s));
    throw BackendUnavailable{fmt::format("{}: cannot be started: {}", command.front(),
                                         std::generic_category().message(reason))};
  }
  output_ = std::move(output.read_end);
  errors_ = std::move(errors.read_end);
}

Job::~Job() {
  stop();
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

JobLines Job::listen() {
  // poll() leaves negative descriptors out.
  std::array<pollfd, 2> ready{pollfd{output_.value(), POLLIN, 0},
                              pollfd{errors_.value(), POLLIN, 0}};
  if (::poll(ready.data(), ready.size(), ended_ ? 0 : poll_ms) <= 0) {
    ready[0].revents = ready[1].revents = 0;
    if (ended_) {  // whoever else holds the pipes has nothing to say
      output_.close_now();
      errors_.close_now();
    }
  }
  if (ready[0].revents != 0) {
    read_some(output_, output_text_);
  }
  if (ready[1].revents != 0) {
    read_some(errors_, errors_text_);
  }
  static_cast<void>(ended_within(0));
  return {take_lines(output_text_, !output_.is_open()),
          take_lines(errors_text_, !errors_.is_open())};
}

void Job::stop() noexcept {
  if (!ended_) {
    ::kill(-process_, SIGTERM);
    ::kill(-process_, SIGCONT);
    if (!ended_within(time_to_end_s)) {
      ::kill(-process_, SIGKILL);
      static_cast<void>(ended_within(time_to_end_s));
    }
  }
}

bool Job::ended_within(double seconds) noexcept {
  constexpr int step_ms = 10;
  for (double waited = 0; !ended_; waited += step_ms / 1e3) {
    int status = 0;
    const pid_t ended = ::waitpid(process_, &status, WNOHANG);
    if (ended == process_) {
      note_end(status);
    } else if (waited >= seconds) {
      break;
    } else {
      ::poll(nullptr, 0, step_ms);
    }
  }
  return ended_;
}

void Job::note_end(int status) noexcept {
  ended_ = true;
  exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  end_orphans();
}

}  // namespace ringcast
