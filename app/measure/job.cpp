#include "app/measure/job.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringcast {
namespace {

namespace fs = std::filesystem;

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
    if (lines.back().ends_with('\r')) {  // from a pseudo-terminal of the launcher
      lines.back().pop_back();
    }
    begin = end + 1;
  }
  text.erase(0, begin);
  return lines;
}

/// The parent of a process, as /proc/N/stat has it: `pid (any name) state parent ...`; 0 for none.
pid_t parent_of(pid_t process) {
  std::ifstream file{"/proc/" + std::to_string(process) + "/stat"};
  std::string text;
  std::getline(file, text);
  const std::size_t after_name = text.rfind(") ");
  return after_name == text.npos ? 0 : std::atoi(text.c_str() + after_name + 3);
}

/// The children of a process, their children, and so on.
std::vector<pid_t> descendants_of(pid_t ancestor) {
  std::vector<pid_t> found;
  std::error_code none;
  for (fs::directory_iterator entry{"/proc", none}, end; entry != end; entry.increment(none)) {
    const int process = std::atoi(entry->path().filename().c_str());
    int above = process;
    do {
      above = parent_of(above);
    } while (above > 0 && above != ancestor);
    if (above == ancestor) found.push_back(process);
  }
  return found;
}

/// Whether Open MPI 4 or 5 made this file of shared memory, through which the ranks of a host
/// exchange messages. It removes the file, unless it is killed.
bool is_message_segment(const fs::path& segment) {
  const std::string name = segment.filename();
  return name.starts_with("vader_segment.") || name.starts_with("sm_segment.");
}

/// The files of shared memory that some process among `processes` maps and that Open MPI made, once
/// for each mapping. Others may be those of a tool that outlives the job.
std::vector<fs::path> segments_of(const std::vector<pid_t>& processes) {
  const std::string folder = "/dev/shm/";
  std::vector<fs::path> segments;
  for (const pid_t process : processes) {
    std::ifstream maps{"/proc/" + std::to_string(process) + "/maps"};
    for (std::string line; std::getline(maps, line);) {
      const std::size_t begin = line.find(folder);
      if (begin == line.npos || line.ends_with(" (deleted)")) continue;
      const fs::path segment = line.substr(begin);
      if (is_message_segment(segment)) segments.push_back(segment);
    }
  }
  return segments;
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
  const bool ended = child_.exit_code().has_value();
  if (!read_available({&child_.output, &child_.errors}, ended ? 0 : poll_ms) && ended) {
    child_.output.pipe.close_now();  // output of other processes that hold the pipes is ignored
    child_.errors.pipe.close_now();
  }
  reap_within(0);
  return {take_lines(child_.output), take_lines(child_.errors)};
}

bool Job::has_ended() const {
  return child_.exit_code() && !child_.output.pipe.is_open() && !child_.errors.pipe.is_open();
}

void Job::stop() noexcept {
  if (!child_.exit_code()) {
    ::kill(-child_.id(), SIGTERM);
    ::kill(-child_.id(), SIGCONT);
    if (!reap_within(time_to_end_s)) {
      ::kill(-child_.id(), SIGKILL);
      reap_within(time_to_end_s);
    }
  }
}

void Job::note_segments() {
  segments_ = segments_of(descendants_of(child_.id()));
}

bool Job::reap_within(double seconds) noexcept {
  if (!child_.exit_code() && child_.reap_within(seconds)) {
    kill_orphans();
    removed_segments_ = std::ranges::count_if(
        segments_, [](const fs::path& segment) { return ::unlink(segment.c_str()) == 0; });
  }
  return child_.exit_code().has_value();
}

}  // namespace ringcast
