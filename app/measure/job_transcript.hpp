#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/measure/job_words.hpp"

namespace ringcast {

/// Classifies the lines of standard error: failures of ranks, remarks of the launcher (such as Open
/// MPI's boxes between lines of dashes), and others.
class JobTranscript {
 public:
  /// Adds a line of standard error. Returns it if it is to be shown to the user at once.
  [[nodiscard]] std::optional<std::string> add(const std::string& line);
  /// Whether a rank has reported a failure.
  [[nodiscard]] bool knows_failure() const { return !failures_.empty(); }

  /// Throws the cause of a job's end with this exit code of the launcher: the failure of a rank
  /// that is not the consequence of another's, or the launcher's refusal. Does nothing after a
  /// success. `job`: the prefix of each message, `measure`.
  void throw_failure(int exit_code, const std::string& job) const;
  /// The launcher's remarks, unchanged, one per line.
  [[nodiscard]] std::string remarks() const;

 private:
  std::vector<RankFailure> failures_;
  std::vector<std::string> remarks_;
  bool in_box_ = false;
};

}  // namespace ringcast
