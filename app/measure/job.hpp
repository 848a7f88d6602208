#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/system/child_process.hpp"

namespace ringcast {

/// Complete lines of a job's output.
struct JobLines {
  std::vector<std::string> output;
  std::vector<std::string> errors;
};

/// A running launcher and its processes. None of them outlives this object: processes that the
/// launcher leaves behind become children of this process (PR_SET_CHILD_SUBREAPER) and are killed.
/// If this process dies, the launcher gets SIGTERM.
class Job {
 public:
  /// Throws BackendUnavailable "PROGRAM: cannot be started: REASON".
  explicit Job(const std::vector<std::string>& command);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  /// Ends the job.
  ~Job();

  /// The lines since the last call; waits for up to a tenth of a second.
  [[nodiscard]] JobLines read_lines();
  /// Whether the launcher has ended and all its output was read.
  [[nodiscard]] bool has_ended() const;
  /// Sends SIGTERM to the launcher, kills it if it does not end, and waits for it.
  void stop() noexcept;

  /// Records Open MPI's shared-memory segments of the ranks, to be removed however the job ends.
  /// Call when all ranks have started.
  void note_segments();
  /// The number of segments that the job had left behind.
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
