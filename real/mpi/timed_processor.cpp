#include "real/mpi/timed_processor.hpp"

#include <algorithm>
#include <thread>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

// A sleep ends 50 us late by Linux's timer slack (man 2 prctl, PR_SET_TIMERSLACK), plus scheduling:
// no sleep begins within this time before the end.
constexpr std::chrono::microseconds spin_time{150};
// The rank makes progress on messages between sleeps.
constexpr std::chrono::microseconds longest_nap{500};

}  // namespace

class TimedProcessor::Computation final : public Pending::Operation {
 public:
  Computation(Clock::time_point end, const std::function<void()>& meanwhile)
      : end_{end}, meanwhile_{&meanwhile} {}
  void wait() override {
    for (auto now = Clock::now(); now < end_; now = Clock::now()) {
      (*meanwhile_)();
      if (const auto left = end_ - now; left > spin_time) {
        std::this_thread::sleep_for(std::min<Clock::duration>(left - spin_time, longest_nap));
      }
    }
  }
  void cancel() noexcept override {}

 private:
  Clock::time_point end_;
  const std::function<void()>* meanwhile_;
};

Pending TimedProcessor::compute(Seconds work) {
  constexpr Seconds longest{1e9};  // some thirty years, still representable by the clock
  expect(work >= Seconds{0} && work <= longest, "a computation of {} s", work.count());
  idle_from_ = std::max(idle_from_, Clock::now()) + std::chrono::ceil<Clock::duration>(work);
  return Pending{std::make_unique<Computation>(idle_from_, meanwhile_)};
}

}  // namespace ringcast
