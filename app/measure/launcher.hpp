#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/measure/job_words.hpp"
#include "engine/numbers/units.hpp"

namespace ringcast {

/// How a job of ranks is started.
struct LaunchOptions {
  std::optional<int> ranks = std::nullopt;  // absent: as many as the launcher starts by itself
  std::string launcher;                     // "srun --mpi=pmix"; empty: mpirun
  std::string hostfile;
  std::string mpirun_args;  // further words for the launcher
  bool oversubscribe = false;
  bool unbound = false;  // ranks may use all cores; otherwise mpirun decides
  /// A job that has not begun, or is silent, for this time is ended.
  Seconds timeout{60};
  bool quiet = false;  // the command that is run is not shown
};

/// Called with the messages of the ranks beside their output.
using JobListener = std::function<void(const JobWord& word)>;

/// Starts `ringcast-mpi ARGUMENTS...` on all ranks, says so on standard error, passes on what they
/// write, and waits. A failure, that of a rank or of the launcher, is thrown as the error with its
/// exit code: BackendUnavailable without mpirun, ScenarioError for more ranks than slots,
/// TransportError for a rank that was killed and for a job that does not begin. Ctrl-C and SIGTERM
/// end the job, then Interrupted is thrown. No process of the job is left; nor is one if this
/// process is killed. Call from a process with one thread.
void launch(const LaunchOptions& options, const std::vector<std::string>& arguments,
            const JobListener& listener = {});

}  // namespace ringcast
