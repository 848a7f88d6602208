#pragma once

#include <array>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "engine/units.hpp"

namespace ringcast {

class Communicator;
class MpiSession;

/// Thrown out of the calls of a rank that has to end because another one failed. It is no
/// std::exception, so that a program that catches those does not go on.
struct Stopped {};

/// How a rank's program ended.
struct RunReport {
  enum class Ending : int { fine, stopped, failed, waited_in_vain };
  Ending ending = Ending::fine;
  /// The rank that it waited for, if it waited in vain.
  int peer = 0;
  /// It left messages that nobody received.
  bool has_strays = false;
  /// Why it failed. Short enough that MPI sends it at once, whether or not anybody receives it.
  std::array<char, 500> text{};
};

/// Watches one run: whether the other ranks are well, and how they end. Each rank sends one report
/// to each other rank, at once if it fails, so that the others stop.
class RunWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// All ranks of `control` watch the same runs, with different numbers.
  RunWatch(const Communicator& control, MpiSession& session, int run, Seconds timeout);
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;
  ~RunWatch();

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] Seconds timeout() const { return timeout_; }
  /// Lets MPI work. Throws Stopped if a rank has failed.
  void look();
  /// `what` has not moved for the timeout. Throws TransportError.
  [[noreturn]] void give_up(int peer, const std::string& what);
  /// The program has ended, by an exception or without one. Waits for all other ranks, and throws
  /// what the run has to throw.
  void end(const std::exception_ptr& failure, bool has_strays);
  /// After end(): whether any rank left messages that nobody received.
  [[nodiscard]] bool any_strays() const;

 private:
  struct Correspondent;

  void report(const std::exception_ptr& failure);
  void collect_reports();
  [[nodiscard]] bool is_complete() const;
  void await_reports();
  [[nodiscard]] const RunReport& report_of(int rank) const;
  [[nodiscard]] std::optional<int> culprit() const;
  [[nodiscard]] bool is_silent(int rank) const;
  [[nodiscard]] std::string explain(int culprit) const;
  [[nodiscard]] std::string name_silent_ranks() const;

  const Communicator* control_;
  MpiSession* session_;
  int rank_;
  int run_;
  Seconds timeout_;
  RunReport own_{};
  bool knows_of_failure_ = false;
  std::vector<Correspondent> others_;
};

}  // namespace ringcast
