#pragma once

#include <chrono>
#include <exception>
#include <string>
#include <vector>

#include "engine/numbers/units.hpp"
#include "engine/reference/stopped.hpp"
#include "real/gpu/wire.hpp"

namespace ringcast {

class Communicator;
class HostPeers;
class RunCommunicators;
struct RunReport;

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
class RunWatch final : public Watch {
 public:
  using Clock = std::chrono::steady_clock;

  /// Begins a run on all members; its number differs from that of the run before. `host_peers`: the
  /// ranks whose death this process can detect.
  RunWatch(RunCommunicators& communicators, int run, Seconds timeout,
           const HostPeers* host_peers = nullptr);
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;
  ~RunWatch() override;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] Seconds timeout() const { return timeout_; }
  /// Lets MPI make progress.
  void progress();
  void check() override;
  /// The same for a rank that has waited `waited` for an operation, which is named in its report.
  /// Gives up after the timeout.
  void check(const Awaited& awaited, Seconds waited);
  /// Throws TransportError if the process of another rank has ended; `what` is the activity of this
  /// one.
  void check_liveness(const std::string& what) const;
  [[noreturn]] void give_up(Rank peer, const std::string& what) override;
  void end(const std::exception_ptr& failure) override;

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

  RunCommunicators* communicators_;
  const Communicator* control_;
  int rank_;
  int tag_;  // of the run's reports
  Seconds timeout_;
  const HostPeers* host_peers_;
  bool knows_of_failure_ = false;
  std::vector<RankState> ranks_;
};

}  // namespace ringcast
