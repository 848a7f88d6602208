#pragma once

#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// The clocks of the ranks; each is used by the rank's own actor.
///
/// Only the rank itself waits for its reductions, and the operation that it posts next contains the
/// time of the post. So a rank does not sleep while it reduces, which would cost as much as a
/// quarter of a message: its clock runs ahead of the simulation's until an operation without such a
/// time, and until it asks which messages have arrived.
class RankClocks {
 public:
  /// At least the simulation's time.
  [[nodiscard]] Seconds now() const;
  /// The rank is busy until then.
  void advance_to(Seconds time);
  /// The rank is busy for this duration.
  void advance_by(Seconds duration) { advance_to(now() + duration); }
  /// Blocks the rank until the simulation's time is the rank's.
  void catch_up() const;
  /// Blocks the rank for this duration from its own time on.
  void sleep(Seconds duration);

 private:
  std::vector<Seconds> times_;  // by SimGrid's actor id, of ranks that have been ahead
};

}  // namespace ringcast
