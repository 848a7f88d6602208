#pragma once

#include <array>
#include <chrono>
#include <exception>
#include <string>
#include <vector>

#include "engine/numbers/units.hpp"
#include "engine/reference/stopped.hpp"

namespace ringcast {

class Communicator;
class HostPeers;
class MpiSession;
class RunCommunicators;

/// How a rank's program ended.
struct RunReport {
  enum class Ending : int { fine, stopped, failed };
  Ending ending = Ending::fine;
  /// The rank that it waited for when it timed out or was stopped; -1 for none.
  int peer = -1;
  /// Whether it left unreceived messages.
  bool has_strays = false;
  /// Why it failed, or what it waited for. Short enough for MPI's eager protocol, so that a send
  /// completes without its receive.
  std::array<char, 500> text{};
};

/// An operation that a rank waits for.
class Awaited {
 public:
  virtual ~Awaited() = default;
  /// The rank that must act.
  [[nodiscard]] virtual int peer() const = 0;
  [[nodiscard]] virtual std::string describe() const = 0;
};

/// Watches one run for failures of other ranks, and collects how they end. Each rank sends one
/// report to every other rank, immediately if it fails, so that the others stop.
class RunWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// All members watch each run, whose number differs from that of the run before. `host_peers`:
  /// the ranks whose death this process can detect.
  RunWatch(const RunCommunicators& communicators, int run, Seconds timeout,
           const HostPeers* host_peers = nullptr);
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;
  ~RunWatch();

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] Seconds timeout() const { return timeout_; }
  /// Lets MPI make progress.
  void progress();
  /// Lets MPI make progress. Throws Stopped if a rank has failed.
  void check();
  /// The same for a rank that has waited `waited` for an operation, which is named in its report.
  /// Throws TransportError after the timeout.
  void check(const Awaited& awaited, Seconds waited);
  /// Throws TransportError if the process of another rank has ended; `what` is the activity of this
  /// one.
  void check_liveness(const std::string& what) const;
  /// Throws TransportError: `what` made no progress for the timeout.
  [[noreturn]] void time_out(int peer, const std::string& what);
  /// Called when the program has ended, with its exception if any. Waits for all other ranks, and
  /// throws the exception of the run, if any.
  void end(const std::exception_ptr& failure, bool has_strays);
  /// After end(): whether any rank left unreceived messages.
  [[nodiscard]] bool any_strays() const;

 private:
  struct RankState;

  [[nodiscard]] RunReport& own_report();
  void note_wait(int peer, const std::string& what, Seconds waited);
  void send_report(const std::exception_ptr& failure);
  void await_reports();
  [[nodiscard]] bool is_complete() const;
  [[nodiscard]] std::vector<int> silent_ranks() const;
  [[nodiscard]] std::vector<int> dead_and_silent() const;
  [[nodiscard]] int explanatory_power(const RankState& state) const;
  void throw_root_cause() const;

  const Communicator* control_;
  MpiSession* session_;
  int rank_;
  int tag_;  // of the run's reports
  Seconds timeout_;
  const HostPeers* host_peers_;
  bool knows_of_failure_ = false;
  std::vector<RankState> ranks_;
};

}  // namespace ringcast
