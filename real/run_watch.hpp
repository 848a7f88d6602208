#pragma once

#include <array>
#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/numbers/units.hpp"
#include "engine/reference/stopped.hpp"
#include "real/life_lines.hpp"

namespace ringcast {

class Communicator;
class MpiSession;

/// How a rank's program ended.
struct RunReport {
  enum class Ending : int { fine, stopped, failed, waited_in_vain };
  Ending ending = Ending::fine;
  /// The rank that it waited for when it gave up or was stopped; -1 for none.
  int peer = -1;
  /// It left messages that nobody received.
  bool has_strays = false;
  /// Why it failed, or what it waited for. Short enough that MPI sends it at once, whether or not
  /// anybody receives it.
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
  /// Whose processes it can see end.
  void set_life_lines(const LifeLines& life_lines) { life_lines_ = &life_lines; }
  /// Lets MPI work.
  void listen();
  /// Lets MPI work. Throws Stopped if a rank has failed.
  void look();
  /// As look(), for a rank that has waited so long for `peer`: should it be stopped, the others
  /// hear of that.
  void look(int peer, const std::function<std::string()>& what, Seconds waited);
  /// Throws TransportError if the process of a rank has ended while this one does `what`.
  void look_for_dead(const std::string& what);
  /// `what` has not moved for the timeout. Throws TransportError.
  [[noreturn]] void give_up(int peer, const std::string& what);
  /// The program has ended, by an exception or without one. Waits for all other ranks, and throws
  /// what the run has to throw.
  void end(const std::exception_ptr& failure, bool has_strays);
  /// After end(): whether any rank left messages that nobody received.
  [[nodiscard]] bool any_strays() const;

 private:
  struct Correspondent;

  void note_wait(int peer, const std::string& what, Seconds waited);
  void report(const std::exception_ptr& failure);
  [[nodiscard]] std::vector<int> dead_and_silent() const;
  [[nodiscard]] bool is_complete() const;
  [[nodiscard]] bool only_the_dead_are_silent() const;
  void await_reports();
  [[nodiscard]] const RunReport& report_of(int rank) const;
  [[nodiscard]] bool waited_for_the_silent(const RunReport& report) const;
  [[nodiscard]] std::optional<int> culprit() const;
  [[nodiscard]] bool is_silent(int rank) const;
  [[nodiscard]] std::string explain(int culprit) const;
  [[nodiscard]] std::string name_silent_ranks() const;

  const Communicator* control_;
  MpiSession* session_;
  int rank_;
  int run_;
  Seconds timeout_;
  const LifeLines* life_lines_ = nullptr;
  RunReport own_{};
  bool knows_of_failure_ = false;
  std::vector<Correspondent> others_;
};

}  // namespace ringcast
