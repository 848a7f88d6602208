#include "real/spinning_processor.hpp"

#include <algorithm>

#include <sched.h>

#include "engine/error.hpp"

namespace ringcast {

class SpinningProcessor::Computation final : public Pending::Operation {
 public:
  Computation(SpinningProcessor& owner, std::uint64_t number) : owner_{&owner}, number_{number} {}
  void wait() override {
    while (owner_->done_count_.load(std::memory_order_acquire) < number_) {
      owner_->meanwhile_();
    }
  }
  void cancel() noexcept override {}

 private:
  SpinningProcessor* owner_;
  std::uint64_t number_;
};

SpinningProcessor::~SpinningProcessor() {
  worker_.request_stop();
}

Pending SpinningProcessor::compute(Seconds work) {
  constexpr Seconds longest{1e9};  // some thirty years, which a clock can still count
  expect(work >= Seconds{0} && work <= longest, "a computation of {} s", work.count());
  if (!worker_.joinable()) {
    worker_ = std::jthread{[this](const std::stop_token& stop) { work_off(stop); }};
  }
  {
    const std::lock_guard lock{mutex_};
    idle_from_ = std::max(idle_from_, Clock::now()) + std::chrono::ceil<Clock::duration>(work);
    ends_.push_back(idle_from_);
    ++posted_count_;
  }
  posted_.notify_one();
  return Pending{std::make_unique<Computation>(*this, posted_count_)};
}

void SpinningProcessor::work_off(const std::stop_token& stop) {
  std::unique_lock lock{mutex_};
  while (posted_.wait(lock, stop, [this] { return !ends_.empty(); })) {
    const Clock::time_point end = ends_.front();
    ends_.pop_front();
    lock.unlock();
    spin_until(end, stop);
    done_count_.fetch_add(1, std::memory_order_release);
    lock.lock();
  }
}

void SpinningProcessor::spin_until(Clock::time_point end, const std::stop_token& stop) const {
  // Some 10 us of looks at the clock, of 20 ns to 40 ns each, between two offers of the core.
  constexpr int looks_in_a_row = 300;
  while (!stop.stop_requested()) {
    for (int look = 0; look < looks_in_a_row; ++look) {
      if (Clock::now() >= end) {
        return;
      }
    }
    sched_yield();
  }
}

}  // namespace ringcast
