#pragma once

#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// The times of the ranks, each asked for by the rank's own actor.
///
/// Only the rank itself waits for its reduction, and the operation that it posts next can state the
/// time from which it counts. A rank therefore does not sleep while it reduces, which costs as much
/// as a quarter of a message: its clock runs ahead of the simulation's until the rank does
/// something that has no such time.
class RankClocks {
 public:
  /// At least the simulation's time.
  [[nodiscard]] Seconds now() const;
  /// The rank is busy until then.
  void advance_to(Seconds time);
  /// The rank is busy for so long.
  void advance_by(Seconds duration) { advance_to(now() + duration); }
  /// Blocks the rank until the simulation's time is its own.
  void catch_up() const;
  /// Blocks the rank for so long from its own time on.
  void sleep(Seconds duration);

 private:
  std::vector<Seconds> times_;  // by SimGrid's number of the actor, for those that have been ahead
};

}  // namespace ringcast
