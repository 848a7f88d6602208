#pragma once

#include <optional>

#include "real/mpi/run_watch.hpp"

namespace ringcast {

/// How a rank waits for an operation: it spins, then yields the core to other processes, and now
/// and then checks the state of the run.
class Backoff {
 public:
  /// Where there are more ranks than cores it yields from the first pause on.
  Backoff(RunWatch& watch, const Awaited& awaited, bool is_crowded)
      : watch_{&watch}, awaited_{&awaited}, is_crowded_{is_crowded} {}

  /// Something has moved.
  void reset() {
    pauses_ = 0;
    since_.reset();
  }
  /// Nothing has moved. Throws what RunWatch::check throws.
  void pause();

 private:
  void check();

  RunWatch* watch_;
  const Awaited* awaited_;
  bool is_crowded_;
  unsigned pauses_ = 0;
  std::optional<RunWatch::Clock::time_point> since_;  // the first check without a move
};

}  // namespace ringcast
