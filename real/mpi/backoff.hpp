#pragma once

#include <optional>

#include "real/mpi/run_watch.hpp"

namespace ringcast {

/// How a rank waits for an operation: it spins, then yields the core to other processes, and
/// regularly checks the state of the run.
class Backoff {
 public:
  /// With more ranks than cores it yields from the first pause on.
  Backoff(RunWatch& watch, const Awaited& awaited, bool is_oversubscribed)
      : watch_{&watch}, awaited_{&awaited}, is_oversubscribed_{is_oversubscribed} {}

  /// Call after progress.
  void reset() {
    pauses_ = 0;
    since_.reset();
  }
  /// Call after a poll without progress. Throws what RunWatch::check() throws.
  void pause();

 private:
  void check();

  RunWatch* watch_;
  const Awaited* awaited_;
  bool is_oversubscribed_;
  unsigned pauses_ = 0;
  std::optional<RunWatch::Clock::time_point> since_;  // the first check without progress
};

}  // namespace ringcast
