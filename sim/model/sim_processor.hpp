#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/contracts/processor.hpp"

namespace ringcast {

/// Events closer than this count as one; SimGrid sleeps for no less.
inline constexpr Seconds clock_precision{1e-12};

/// The clock of one simulated rank.
struct SimClock {
  std::function<Seconds()> now;
  /// Blocks the rank.
  std::function<void(Seconds)> sleep;
};

/// The computations of one simulated rank, one after the other. They take simulated time only: the
/// rank sleeps until the one it waits for has ended.
class SimProcessor final : public Processor {
 public:
  /// `competition`: the fraction of a concurrent reduction's time that a computation loses, 0 to 1.
  SimProcessor(double competition, SimClock clock);
  Pending compute(Seconds work) override;
  /// A reduction of this duration begins now and slows the posted computations: meanwhile they
  /// advance at 1 - competition of their speed.
  void slow_computations(Seconds reduction);

 private:
  class Computation;
  using Ends = std::vector<Seconds>;

  double competition_;
  SimClock clock_;
  std::shared_ptr<Ends> ends_;  // of each computation, in order; shared with those in flight
};

}  // namespace ringcast
