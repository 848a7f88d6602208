#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "app/common/descriptor.hpp"
#include "app/common/signal_watch.hpp"

namespace ringcast {

/// Whole lines that a job has written.
struct JobLines {
  std::vector<std::string> output;
  std::vector<std::string> errors;
};

/// A launcher that was started, with all that it starts. Nothing of it outlives this object: what
/// the launcher leaves behind becomes this process's child and is killed. If this process dies,
/// the launcher gets SIGTERM.
class Job {
 public:
  /// Throws BackendUnavailable "PROGRAM: cannot be started: REASON".
  Job(std::vector<std::string> command, const SignalWatch& signals);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  /// Ends the job.
  ~Job();

  /// What came since the last call; waits a moment for it.
  [[nodiscard]] JobLines listen();
  /// The launcher has ended, and all that it wrote was heard.
  [[nodiscard]] bool has_ended() const {
    return ended_ && !output_.is_open() && !errors_.is_open();
  }
  /// Asks the launcher to end, kills it where it does not, and waits.
  void stop() noexcept;

  /// As a shell has it: of a job that has ended; 128 + N where signal N ended the launcher.
  [[nodiscard]] int exit_code() const { return exit_code_; }

 private:
  [[nodiscard]] bool ended_within(double seconds) noexcept;
  void note_end(int status) noexcept;

  pid_t process_ = -1;
  Descriptor output_{-1};
  Descriptor errors_{-1};
  std::string output_text_;  // not yet a whole line
  std::string errors_text_;
  bool ended_ = false;
  int exit_code_ = 0;
};

}  // namespace ringcast
