#pragma once

#include <chrono>
#include <functional>

#include "engine/contracts/processor.hpp"

namespace ringcast {

/// Models the accelerator of a CPU rank: a computation ends when its time has passed.
///
/// It keeps no core busy: on a host with a rank on each core, a busy thread would slow down the
/// communication that it overlaps with, which neither a GPU nor a prediction does. A wait sleeps,
/// and polls the clock only shortly before the end.
class TimedProcessor final : public Processor {
 public:
  /// A wait calls `meanwhile`, which may throw, between sleeps.
  explicit TimedProcessor(std::function<void()> meanwhile) : meanwhile_{std::move(meanwhile)} {}
  Pending compute(Seconds work) override;

 private:
  using Clock = std::chrono::steady_clock;
  class Computation;

  std::function<void()> meanwhile_;
  Clock::time_point idle_from_{};
};

}  // namespace ringcast
