#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/measure/job_words.hpp"

namespace ringcast {

/// Tells apart what ranks and launcher write to standard error: failures of ranks, the launcher's
/// own remarks (Open MPI's boxes between lines of dashes among them), and all else.
class JobTranscript {
 public:
  /// Takes a line of standard error. Returns it if it is for the user as it is.
  [[nodiscard]] std::optional<std::string> hear(const std::string& line);
  /// A rank has failed.
  [[nodiscard]] bool knows_failure() const { return !failures_.empty(); }

  /// Throws what ended a job with this exit code of the launcher's: what a rank failed of, first of
  /// all that which made others fail; or what the launcher said; nothing if all went well. `job`
  /// begins each message: `measure`. Of a TransportError the ranks' hosts are named.
  void throw_failure(int exit_code, const std::string& job) const;
  /// The launcher's remarks as they came, a line each, for a user who has to know.
  [[nodiscard]] std::string remarks() const;

 private:
  [[nodiscard]] std::string killed() const;

  std::vector<RankFailure> failures_;
  std::vector<std::string> remarks_;
  bool in_box_ = false;
};

}  // namespace ringcast
