#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ringcast {

/// A program to start without a shell: no quoting, no expansion.
struct ChildCommand {
  /// A path, or a name to look up in PATH.
  std::string program;
  std::vector<std::string> arguments;
  /// Added to this process's environment; replaces variables of the same name.
  std::vector<std::pair<std::string, std::string>> environment;
  /// What it reads from its standard input.
  std::string input = {};
};

/// How a child ended, and what it wrote.
struct ChildOutcome {
  std::optional<int> exit_status;  // absent when a signal ended it
  std::optional<int> signal;
  std::string output;
  std::string errors;

  [[nodiscard]] bool succeeded() const { return exit_status == 0; }
};

/// Runs the command to its end. Throws BackendUnavailable
/// "PROGRAM: cannot be started: REASON" when there is no such program.
[[nodiscard]] ChildOutcome run_child(const ChildCommand& command);

/// As exec() wants them, with the null at the end; they point into `texts`.
[[nodiscard]] std::vector<char*> argument_pointers(std::vector<std::string>& texts);

}  // namespace ringcast
