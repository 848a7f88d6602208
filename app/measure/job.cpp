#include "app/measure/job.hpp"

#include <algorithm>
#include <csignal>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/measure/job_segments.hpp"

namespace ringcast {
namespace {

constexpr int poll_ms = 100;
// mpirun gives its ranks a second between SIGTERM and SIGKILL, and takes seconds for its own steps.
constexpr double time_to_end_s = 5;

// A process group of its own keeps the terminal's Ctrl-C from the job, which this process ends
// once: on a second signal mpirun leaves its ranks behind.
ChildCommand launcher_command(const std::vector<std::string>& words) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  return {.program = words.front(),
          .arguments = {words.begin() + 1, words.end()},
          .environment = {},
          .own_group = true};
}

/// Consumes the whole lines; the last one too once the pipe is closed.
std::vector<std::string> take_lines(PipeReader& reader) {
  std::string& text = reader.text;
  if (!reader.pipe.is_open() && !text.empty() && text.back() != '\n') {
    text += '\n';
  }
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', begin)) {
    lines.push_back(text.substr(begin, end - begin));
    if (lines.back().ends_with('\r')) {  // a launcher may have put a terminal between
      lines.back().pop_back();
    }
    begin = end + 1;
  }
  text.erase(0, begin);
  return lines;
}

/// Kills the processes that the launcher left behind, one generation after the other.
void kill_orphans() noexcept {
  while (::waitpid(-1, nullptr, WNOHANG) >= 0) {
    for (const pid_t orphan : descendants_of(::getpid())) {
      ::kill(orphan, SIGKILL);
    }
    ::poll(nullptr, 0, 1);
  }
}

}  // namespace

Job::Job(const std::vector<std::string>& command) : child_{launcher_command(command)} {}

Job::~Job() {
  stop();
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

JobLines Job::read_lines() {
  const bool ended = child_.status().has_value();
  if (!read_available({&child_.output, &child_.errors}, ended ? 0 : poll_ms) && ended) {
    child_.output.pipe.close_now();  // another process that holds the pipes has nothing to say
    child_.errors.pipe.close_now();
  }
  reap_within(0);
  return {take_lines(child_.output), take_lines(child_.errors)};
}

bool Job::has_ended() const {
  return child_.status() && !child_.output.pipe.is_open() && !child_.errors.pipe.is_open();
}

void Job::stop() noexcept {
  if (!child_.status()) {
    ::kill(-child_.id(), SIGTERM);
    ::kill(-child_.id(), SIGCONT);
    if (!reap_within(time_to_end_s)) {
      ::kill(-child_.id(), SIGKILL);
      reap_within(time_to_end_s);
    }
  }
}

int Job::exit_code() const {
  const int status = child_.status().value_or(0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void Job::note_segments() {
  segments_ = segments_of(descendants_of(child_.id()));
}

std::size_t Job::remove_segments() noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(
      segments_,
      [](const std::filesystem::path& segment) { return ::unlink(segment.c_str()) == 0; }));
}

bool Job::reap_within(double seconds) noexcept {
  const bool had_ended = child_.status().has_value();
  if (!had_ended && child_.reap_within(seconds)) {
    kill_orphans();
    removed_segments_ = remove_segments();
  }
  return child_.status().has_value();
}

}  // namespace ringcast
