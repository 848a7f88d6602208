#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/processor.hpp"

namespace ringcast {

/// Computes by keeping a thread of its own busy, one piece of work after the other. It gives way to
/// others that want its core: a rank that has one core only still communicates meanwhile.
class SpinningProcessor final : public Processor {
 public:
  /// Whoever waits for a computation calls `meanwhile` all the time, which may throw.
  explicit SpinningProcessor(std::function<void()> meanwhile) : meanwhile_{std::move(meanwhile)} {}
  SpinningProcessor(const SpinningProcessor&) = delete;
  SpinningProcessor& operator=(const SpinningProcessor&) = delete;
  ~SpinningProcessor() override;
  Pending compute(Seconds work) override;

 private:
  using Clock = std::chrono::steady_clock;
  class Computation;

  void work_off(const std::stop_token& stop);
  void spin_until(Clock::time_point end, const std::stop_token& stop) const;

  std::function<void()> meanwhile_;
  std::mutex mutex_;
  std::condition_variable_any posted_;
  /// When each piece of work is over, in the order in which they were posted.
  std::deque<Clock::time_point> ends_;
  Clock::time_point idle_from_{};
  std::uint64_t posted_count_ = 0;
  std::atomic<std::uint64_t> done_count_ = 0;
  std::jthread worker_;
};

}  // namespace ringcast
