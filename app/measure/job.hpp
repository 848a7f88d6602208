#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/system/child_process.hpp"

namespace ringcast {

/// Whole lines that a job has written.
struct JobLines {
  std::vector<std::string> output;
  std::vector<std::string> errors;
};

/// A launcher that was started, with all that it starts. Nothing of it outlives this object: the
/// processes that the launcher leaves behind become this process's children and are killed. If this
/// process dies, the launcher gets SIGTERM.
class Job {
 public:
  /// Throws BackendUnavailable "PROGRAM: cannot be started: REASON".
  explicit Job(const std::vector<std::string>& command);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  /// Ends the job.
  ~Job();

  /// The lines since the last call; waits a tenth of a second for them.
  [[nodiscard]] JobLines read_lines();
  /// The launcher has ended, and all that it wrote was read.
  [[nodiscard]] bool has_ended() const;
  /// Asks the launcher to end, kills it where it does not, and waits.
  void stop() noexcept;

  /// Notes the ranks' shared memory, to be removed however the job ends. Call once they have begun.
  void note_segments();
  /// The number of segments that a job had left when it ended.
  [[nodiscard]] std::ptrdiff_t removed_segments() const { return removed_segments_; }

  /// The launcher's exit code once it has ended.
  [[nodiscard]] int exit_code() const { return child_.exit_code().value_or(0); }

 private:
  bool reap_within(double seconds) noexcept;

  Child child_;
  std::vector<std::filesystem::path> segments_;
  std::ptrdiff_t removed_segments_ = 0;
};

}  // namespace ringcast
