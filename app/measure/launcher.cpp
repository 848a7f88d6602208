#include "app/measure/launcher.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/ranges.h>

#include "app/common/console.hpp"
#include "app/common/counted.hpp"
#include "app/common/file_output.hpp"
#include "app/common/signal_watch.hpp"
#include "app/measure/hostfile.hpp"
#include "app/measure/job.hpp"
#include "app/measure/job_transcript.hpp"
#include "app/measure/launch_command.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

using Clock = std::chrono::steady_clock;

// Beyond the timeout, so that ranks which can detect the problem report it first.
constexpr Seconds grace{10};

void announce(const std::vector<std::string>& command) {
  const bool as_root = std::ranges::find(command, "--allow-run-as-root") != command.end();
  print_message(fmt::format("ringcast: {}{}\n", shell_quoted(command),
                            as_root ? "  # as root, hence --allow-run-as-root" : ""));
}

/// Throws BackendUnavailable, which says what to install where mpirun is missing.
Job started(const std::vector<std::string>& command, const LaunchOptions& options) {
  try {
    return Job{command};
  } catch (const BackendUnavailable&) {
    if (!options.launcher.empty()) throw;
    throw BackendUnavailable{
        "mpirun: not found on PATH (expected Open MPI: apt install openmpi-bin libopenmpi-dev; or "
        "another launcher by --launcher)"};
  }
}

/// One job from its start to its end.
class Launch {
 public:
  Launch(const LaunchOptions& options, std::string name, const JobListener& listener)
      : options_{options}, name_{std::move(name)}, listener_{listener} {}

  void run(const std::vector<std::string>& arguments) {
    const SignalWatch signals;
    const std::vector<std::string> command = launch_command(options_, arguments, launch_place());
    Job job = started(command, options_);
    if (!options_.quiet) {
      announce(command);
    }
    wait_longer(options_.timeout);
    while (!job.has_ended() && Clock::now() <= deadline_) {
      handle(job.read_lines(), job);
      SignalWatch::throw_if_noted();
    }
    const bool is_late = !job.has_ended();
    job.stop();
    if (const auto removed = job.removed_segments(); removed > 0) {
      print_message(
          fmt::format("ringcast: {}: removed {} of shared memory that the launcher left; "
                      "orte-clean removes its own files\n",
                      name_, counted(removed, "segment")));
    }
    if (job.exit_code() != 0 && !transcript_.knows_failure()) {
      SignalWatch::throw_if_noted();
    }
    try {
      throw_failure(job.exit_code(), is_late);
    } catch (const TransportError&) {
      if (!hosts_ && !transcript_.knows_failure()) {  // only the launcher's remarks explain it
        print_message(transcript_.remarks());
      }
      throw;
    }
  }

 private:
  void handle(const JobLines& lines, Job& job) {
    for (const std::string& line : lines.output) {
      if (const auto word = word_of(line)) {
        handle(*word);
        if (word->word == begun_word) {
          job.note_segments();
        }
      } else {
        print_output(line + "\n");
      }
    }
    for (const std::string& line : lines.errors) {
      const bool knew = transcript_.knows_failure();
      if (const auto shown = transcript_.add(line)) {
        print_message(*shown + "\n");
      }
      if (!knew && transcript_.knows_failure()) {
        wait_longer(grace);
      }
    }
  }

  void handle(const JobWord& word) {
    if (word.word == begun_word) hosts_ = word.text;
    if (!transcript_.knows_failure()) {
      wait_longer(options_.timeout + grace);
    }
    try {
      if (listener_) listener_(word);
    } catch (const std::exception& unreadable) {
      if (word.word == begun_word) throw;  // it refuses the hosts
      fail(
          fmt::format("what a rank reported came mangled: {} (expected a launcher that passes on "
                      "lines whole)",
                      unreadable.what()));
    }
  }

  void wait_longer(Seconds time) {
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
  }

  void throw_failure(int exit_code, bool is_late) const {
    if (!is_late || transcript_.knows_failure()) {
      transcript_.throw_failure(exit_code, name_);
    }
    if (is_late && hosts_) {
      fail(fmt::format("nothing was heard of rank 0 on {} for {}",
                       hosts_->substr(0, hosts_->find(',')), to_text(options_.timeout + grace)));
    }
    if (is_late) {
      const std::string& file = options_.hostfile;
      fail(
          fmt::format("the job did not begin within {}: not all ranks came as far as MPI_Init{} "
                      "(expected hosts "
                      "that can be reached and have ringcast-mpi; --timeout gives them longer)",
                      to_text(options_.timeout),
                      file.empty() ? "" : fmt::format(", on {}", fmt::join(hosts_of(file), ", "))));
    }
    if (!hosts_) {
      fail(
          "the launcher ended, but no rank began (expected one that waits for the ranks and passes "
          "on what they print)");
    }
  }

  [[noreturn]] void fail(const std::string& text) const {
    throw TransportError{fmt::format("ringcast: {}: {}", name_, text)};
  }

  const LaunchOptions& options_;
  std::string name_;
  const JobListener& listener_;
  JobTranscript transcript_;
  Clock::time_point deadline_;
  std::optional<std::string> hosts_;  // of the ranks; absent until they have started
};

}  // namespace

void expect_rereadable(const std::string& name, const std::filesystem::path& file) {
  if (is_special(file)) {
    throw ScenarioError{fmt::format(
        "{}: a pipe or a device (expected a regular file: the processes of the job read it, too)",
        name)};
  }
}

void launch(const LaunchOptions& options, const std::vector<std::string>& arguments,
            const JobListener& listener) {
  if (!options.hostfile.empty()) {
    expect_rereadable("--hostfile: " + options.hostfile, options.hostfile);
    static_cast<void>(hosts_of(
        options.hostfile, is_open_mpis(options) ? HostfileSyntax::open_mpi : HostfileSyntax::any));
  }
  Launch{options, arguments.front(), listener}.run(arguments);
}

}  // namespace ringcast
