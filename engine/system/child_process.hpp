#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "engine/system/descriptor.hpp"

namespace ringcast {

/// A program to start without a shell, so without quoting and expansion.
struct ChildCommand {
  /// A path, or a name to look up in PATH.
  std::string program;
  std::vector<std::string> arguments;
  /// Added to this process's environment; replaces variables of the same name.
  std::vector<std::pair<std::string, std::string>> environment;
  /// The text for its standard input.
  std::string input = {};
  /// Starts it in its own process group, which a terminal's Ctrl-C does not reach.
  bool own_group = false;
};

/// The signal that ended a process with this exit code of a Child.
[[nodiscard]] std::optional<int> signal_of(int exit_code);

/// E.g. `signal 9 (Killed)`.
[[nodiscard]] std::string signal_text(int signal);

/// How a child ended, and what it wrote.
struct ChildOutcome {
  int exit_code = 0;  // as Child::exit_code()
  std::string output;
  std::string errors;

  [[nodiscard]] bool succeeded() const { return exit_code == 0; }
};

/// Runs the command to its end. Throws BackendUnavailable "PROGRAM: cannot be started: REASON" if
/// it cannot be started.
[[nodiscard]] ChildOutcome run_child(const ChildCommand& command);

/// The read end of a pipe, and the bytes read but not yet consumed.
struct PipeReader {
  Descriptor pipe;
  std::string text;
};
/// Waits at most `timeout_ms` (-1: no limit) for data or the end of file on any of the pipes; reads
/// the available data and closes pipes at their end of file. False if there was neither.
bool read_available(const std::vector<PipeReader*>& readers, int timeout_ms);

/// Writes all bytes; false on an error.
[[nodiscard]] bool write_all(int descriptor, const void* data, std::size_t size);

/// A child process. The destructor kills and reaps it, so no zombie is left. If this process
/// ignores SIGCHLD, the first child resets that.
class Child {
 public:
  /// Forks; `work` runs in the child, writes to `pipe`, and ends the process by returning, without
  /// the parent's destructors and exit handlers. The child is killed when this process dies.
  explicit Child(const std::function<void(int pipe)>& work);
  /// Starts a program. It gets SIGTERM when this process dies. Throws BackendUnavailable, as
  /// run_child does.
  explicit Child(const ChildCommand& command);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  [[nodiscard]] pid_t id() const { return id_; }
  /// 128 + N if signal N ended it, as in a shell; 1 if another waitpid() reaped it; absent until
  /// the child is reaped.
  [[nodiscard]] const std::optional<int>& exit_code() const { return exit_code_; }
  /// Reads all that it writes and reaps it.
  [[nodiscard]] ChildOutcome finish();
  /// Waits for its end and reaps it; returns its exit code.
  int reap() noexcept;
  /// Waits for a limited time; true if the child has ended.
  bool reap_within(double seconds) noexcept;

  PipeReader output;  // the work's pipe or the program's standard output
  PipeReader errors;  // a program's standard error

 private:
  void start(const std::function<void()>& body, int parent_death_signal);
  void try_to_reap(int options) noexcept;

  pid_t id_ = -1;
  std::optional<int> exit_code_;
};

}  // namespace ringcast
