#pragma once

#include <string>

#include "real/run_watch.hpp"

namespace ringcast {

/// What a rank waits for.
class Awaited {
 public:
  virtual ~Awaited() = default;
  /// Who has to do something.
  [[nodiscard]] virtual int peer() const = 0;
  [[nodiscard]] virtual std::string describe() const = 0;
};

/// How a rank waits: it looks again at once for a while, then lets other processes have the core,
/// and now and then sees whether the run is still well.
class Patience {
 public:
  /// Where there are more ranks than cores it is somebody else's turn at once.
  Patience(RunWatch& watch, bool is_crowded) : watch_{&watch}, is_crowded_{is_crowded} {}

  /// Something has moved.
  void renew() { pauses_ = 0; }
  /// Nothing has moved. Throws what RunWatch throws; without an `awaited`, whose end only this
  /// process decides, the timeout does not apply.
  void pause(const Awaited* awaited);

 private:
  void look(const Awaited* awaited);

  RunWatch* watch_;
  bool is_crowded_;
  unsigned pauses_ = 0;
  RunWatch::Clock::time_point since_{};
};

}  // namespace ringcast
