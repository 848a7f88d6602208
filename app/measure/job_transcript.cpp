#include "app/measure/job_transcript.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <regex>

#include <fmt/ranges.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

constexpr int run_failed = 4;  // the exit code of TransportError

bool is_edge(const std::string& line) {
  constexpr std::size_t shortest = 60;  // Open MPI's have 74 or 76 dashes
  return line.size() >= shortest && line.find_first_not_of('-') == line.npos;
}

/// Launchers begin their lines with `mpirun: `, `[host:123] `, `srun: error: `,
/// `slurmstepd-host: error: `.
bool is_remark(const std::string& line) {
  static const std::regex begin{
      R"((mpirun|orterun|mpiexec|srun|slurmstepd(-\S+)?|prterun|ssh)(\(\d+\))?: .*|)"
      R"(\[[^\] ]+:\d+\] .*|)"
      R"(\d+ total process(es)? (killed|failed to start).*|Type 'mpirun --help' for usage\.)"};
  return std::regex_match(line, begin);
}

/// The failure that is not the consequence of another rank's.
const RankFailure& root_cause(const std::vector<RankFailure>& failures) {
  const auto own = std::ranges::find_if(
      failures, [](const RankFailure& failure) { return failure.exit_code != run_failed; });
  return own == failures.end() ? failures.front() : *own;
}

/// Throws the error type with this exit code, of those that a rank may have.
[[noreturn]] void throw_as(int exit_code, const std::string& text) {
  switch (exit_code) {
    case 2:
      throw ScenarioError{text};
    case 3:
      throw BackendUnavailable{text};
    case 5:
      throw WrongResult{text};
    case 1:
      throw ContractViolation{text};
    default:  // no rank ends with it: the line was garbled
      throw TransportError{text};
  }
}

/// An exit code above 128 is that of a program that a signal ended.
std::string text_of_exit(int exit_code) {
  constexpr int killed = 128;
  const char* const signal = exit_code > killed ? sigdescr_np(exit_code - killed) : nullptr;
  return signal == nullptr ? fmt::format("exit code {}", exit_code)
                           : fmt::format("exit code {}, of signal {} ({}),", exit_code,
                                         exit_code - killed, signal);
}

/// A launcher's refusal of a job, and our message for it: {0} and {1} are the pattern's groups.
struct KnownRefusal {
  const char* pattern;
  int exit_code;
  const char* text;
};
constexpr std::array known_refusals{
    KnownRefusal{"not enough slots", 2,
                 "--ranks: more ranks than mpirun has slots for (expected at most one for each "
                 "core of the hosts; --oversubscribe starts more, or a --hostfile says how many "
                 "slots there are)"},
    KnownRefusal{"More processors requested than permitted", 2,
                 "--ranks: more ranks than srun may start here (expected at most one for each "
                 "processor of the allocation; --launcher \"srun --mpi=pmix --overcommit\" starts "
                 "more)"},
    KnownRefusal{R"re(unknown option "([^"]*)")re", 2,
                 "--mpirun-args: mpirun does not know {0} (expected options of mpirun)"},
    KnownRefusal{R"(ssh: Could not resolve hostname ([^\s:]+): (.*))", 2,
                 "--hostfile: {0}: no such host: {1} (expected a host that ssh reaches)"},
    KnownRefusal{R"(ssh: connect to host (\S+) port \d+: (.*))", 2,
                 "--hostfile: {0} cannot be reached: {1} (expected a host that ssh reaches)"},
    KnownRefusal{R"((\S+): Permission denied \(([^)]*)\))", 2,
                 "--hostfile: {0}: ssh asks for a password ({1}) (expected a key, as ssh-copy-id "
                 "installs it)"},
    KnownRefusal{R"(unable to open the hostfile:\s*(\S+))", 2,
                 "--hostfile: {0} cannot be read (expected a file with a host a line)"},
    KnownRefusal{
        R"(detected a (?:bad parameter|parse error) in the hostfile:\s*(\S+)\s+([\s\S]*?)\s*---)",
        2, "--hostfile: {0}: mpirun says \"{1}\" (expected a host a line, such as node1 slots=4)"},
    KnownRefusal{R"(could not access\s+or execute)", 3,
                 "ringcast-mpi: cannot be started on every host (expected the same path on all of "
                 "them)"},
};

void throw_known_refusal(const std::string& remarks) {
  static const std::regex blanks{R"(\s+)"};
  for (const auto& [pattern, exit_code, text] : known_refusals) {
    if (std::smatch found; std::regex_search(remarks, found, std::regex{pattern})) {
      throw_as(exit_code, fmt::format(fmt::runtime(text), found[1].str(),
                                      std::regex_replace(found[2].str(), blanks, " ")));
    }
  }
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

std::string JobTranscript::killed() const {
  static const std::regex death{
      R"(rank (\d+) with PID \d+ on\s+node (\S+) exited on\s+signal (\d+) \(([^)]*)\))"};
  const std::string text = remarks();
  std::smatch found;
  if (!std::regex_search(text, found, death)) {
    return "";
  }
  return fmt::format("rank {} on {} was killed by signal {} ({})", found[1].str(), found[2].str(),
                     found[3].str(), found[4].str());
}

void JobTranscript::throw_failure(int exit_code, const std::string& job) const {
  if (exit_code == 0 && failures_.empty()) {
    return;
  }
  std::string reason = killed();
  if (!failures_.empty()) {
    const RankFailure& cause = root_cause(failures_);
    if (cause.exit_code != run_failed) {
      throw_as(cause.exit_code, cause.text);
    }
    reason += (reason.empty() ? "" : "; ") + cause.text;
  }
  if (reason.empty()) {
    throw_known_refusal(remarks());
    reason =
        fmt::format("the launcher ended with {} and no rank said why", text_of_exit(exit_code));
  }
  throw TransportError{fmt::format("ringcast: {}: {}", job, reason)};
}

}  // namespace ringcast
