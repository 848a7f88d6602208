#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/measure/job_words.hpp"
#include "engine/numbers/units.hpp"

namespace ringcast {

/// How a job of ranks is started.
struct LaunchOptions {
  std::optional<int> ranks = std::nullopt;  // absent: the launcher's default
  std::string launcher;                     // "srun --mpi=pmix"; empty: mpirun
  std::string hostfile;
  std::string mpirun_args;  // further words for the launcher
  bool oversubscribe = false;
  bool unbound = false;  // ranks are not bound to cores; otherwise mpirun's default
  /// A job that does not start, or sends no message, for this time is ended.
  Seconds timeout{60};
  bool quiet = false;  // do not print the command
};

/// Called with the messages of the ranks. An exception ends the job.
using JobListener = std::function<void(const JobWord& word)>;

/// Throws ScenarioError for an input of a job that can be read only once, such as `<(...)` of a
/// shell.
void expect_rereadable(const std::string& name, const std::filesystem::path& file);

/// Starts `ringcast-mpi ARGUMENTS...` on all ranks, prints the command on standard error, forwards
/// the output of the ranks, and waits. Call from a process with one thread.
///
/// - A failure of a rank or of the launcher is thrown as the error with its exit code:
///   BackendUnavailable without mpirun, ScenarioError for more ranks than slots, TransportError for
///   a rank that was killed and for a job that does not start.
/// - Ctrl-C and SIGTERM end the job, then Interrupted is thrown.
/// - No process of the job remains, not even if this process is killed.
void launch(const LaunchOptions& options, const std::vector<std::string>& arguments,
            const JobListener& listener = {});

}  // namespace ringcast
