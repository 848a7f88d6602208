#pragma once

#include <chrono>
#include <functional>

#include "engine/contracts/processor.hpp"

namespace ringcast {

/// Stands for an accelerator beside a CPU rank: a computation ends when its time has passed.
///
/// It keeps no core busy. A thread that burns a core would model a device that the rank shares its
/// core with: where a host has no core for both, as with a rank on each, it would slow down the
/// very communication that it is to run beside, which neither a GPU nor a prediction does.
/// A wait sleeps, and polls the clock for the last stretch only.
class TimedProcessor final : public Processor {
 public:
  /// A wait calls `meanwhile`, which may throw, between two naps.
  explicit TimedProcessor(std::function<void()> meanwhile) : meanwhile_{std::move(meanwhile)} {}
  Pending compute(Seconds work) override;

 private:
  using Clock = std::chrono::steady_clock;
  class Computation;

  std::function<void()> meanwhile_;
  Clock::time_point idle_from_{};
};

}  // namespace ringcast
