#include "app/measure/job_transcript.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <regex>
#include <utility>

#include <fmt/ranges.h>

#include "engine/numbers/error.hpp"
#include "engine/system/child_process.hpp"

namespace ringcast {
namespace {

bool is_edge(const std::string& line) {
  constexpr std::size_t shortest = 60;  // Open MPI's have 74 or 76 dashes
  return line.size() >= shortest && line.find_first_not_of('-') == line.npos;
}

/// Launchers begin their lines with `mpirun: `, `[host:123] `, `srun: error: `,
/// `slurmstepd-host: error: `. --report-bindings asks for lines that people want to see:
/// `[host:123] MCW rank 0 bound to socket 0[core 0[hwt 0]]: [B/.]`.
bool is_remark(const std::string& line) {
  static const std::regex begin{
      R"((mpirun|orterun|mpiexec|srun|slurmstepd(-\S+)?|prterun|ssh)(\(\d+\))?: .*|)"
      R"(\[[^\] ]+:\d+\] (?!(MCW rank|Rank) \d+ (bound to|is not bound)).*|)"
      R"(\d+ total process(es)? (killed|failed to start).*|Type 'mpirun --help' for usage\.)"};
  return std::regex_match(line, begin);
}

/// The failure that is not the consequence of another rank's.
const RankFailure& root_cause(const std::vector<RankFailure>& failures) {
  const auto own = std::ranges::find_if(failures, [](const RankFailure& failure) {
    return failure.exit_code != TransportError::code;
  });
  return own == failures.end() ? failures.front() : *own;
}

std::string text_of_exit(int exit_code) {
  const auto signal = signal_of(exit_code);
  return signal ? fmt::format("exit code {}, of {},", exit_code, signal_text(*signal))
                : fmt::format("exit code {}", exit_code);
}

/// A pattern of a launcher's remarks on the end of a job, and our message, in which {0} and so on
/// are the pattern's groups. The first match is used.
struct KnownEnd {
  const char* pattern;
  int exit_code;
  const char* text;
};
constexpr std::array known_ends{
    KnownEnd{R"(rank (\d+) with PID \d+ on\s+node (\S+) exited on\s+signal (\d+) \(([^)]*)\))",
             TransportError::code, "rank {0} on {1} was killed by signal {2} ({3})"},
    KnownEnd{"not enough slots", ScenarioError::code,
             "--ranks: more ranks than mpirun has slots for (expected at most one for each "
             "core of the hosts; --oversubscribe starts more, or a --hostfile says how many "
             "slots there are)"},
    KnownEnd{"More processors requested than permitted", ScenarioError::code,
             "--ranks: more ranks than srun may start here (expected at most one for each "
             "processor of the allocation; --launcher \"srun --mpi=pmix --overcommit\" starts "
             "more)"},
    KnownEnd{R"re(unknown option "([^"]*)")re", ScenarioError::code,
             "--mpirun-args: mpirun does not know {0} (expected options of mpirun)"},
    KnownEnd{R"(ssh: (?:Could not resolve hostname|connect to host) (\S+?)(?: port \d+)?: (.*))",
             ScenarioError::code, "{0}: cannot be reached: {1} (expected a host that ssh reaches)"},
    KnownEnd{R"((\S+): Permission denied \(([^)]*)\))", ScenarioError::code,
             "{0}: ssh asks for a password ({1}) (expected a key, as ssh-copy-id "
             "installs it)"},
    KnownEnd{R"(could not access\s+or execute|unable to find the specified executable)",
             BackendUnavailable::code,
             "ringcast-mpi: cannot be started on every host (expected the same path on all of "
             "them)"},
};

/// The exit code and the message, if the remarks explain the end of the job.
std::optional<std::pair<int, std::string>> known_end(const std::string& remarks) {
  for (const auto& [pattern, exit_code, text] : known_ends) {
    if (std::smatch found; std::regex_search(remarks, found, std::regex{pattern})) {
      return std::pair{exit_code, fmt::format(fmt::runtime(text), found.str(1), found.str(2),
                                              found.str(3), found.str(4))};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> JobTranscript::add(const std::string& line) {
  if (const auto failure = failure_of(line)) {
    failures_.push_back(*failure);
    return std::nullopt;
  }
  if (is_edge(line)) {
    in_box_ = !in_box_;
  } else if (!in_box_ && !is_remark(line)) {
    return line;
  }
  remarks_.push_back(line);
  return std::nullopt;
}

std::string JobTranscript::remarks() const {
  return remarks_.empty() ? "" : fmt::format("{}\n", fmt::join(remarks_, "\n"));
}

void JobTranscript::throw_failure(int exit_code, const std::string& job) const {
  if (exit_code == 0 && failures_.empty()) {
    return;
  }
  std::string reason;
  if (!failures_.empty()) {
    const RankFailure& cause = root_cause(failures_);
    if (cause.exit_code != TransportError::code) {
      throw_error(cause.exit_code, cause.text);
    }
    reason = cause.text;
  }
  if (const auto known = known_end(remarks())) {
    const auto& [code, text] = *known;
    if (code == TransportError::code) {
      reason = text + (reason.empty() ? "" : "; ") + reason;
    } else if (reason.empty()) {
      throw_error(code, text);
    }
  }
  if (reason.empty()) {
    reason =
        fmt::format("the launcher ended with {} and no rank said why", text_of_exit(exit_code));
  }
  throw TransportError{fmt::format("ringcast: {}: {}", job, reason)};
}

}  // namespace ringcast
