#include "real/patience.hpp"

#include <thread>

#include <fmt/format.h>
#include <sched.h>

namespace ringcast {
namespace {

/// So many looks take some 10 us: longer than a neighbour needs to answer at once.
constexpr unsigned looks_before_yielding = 1000;
/// A look at MPI costs about as much as a dozen yields.
constexpr unsigned pauses_between_looks = 16;
/// Who has waited so long waits for something slow, and can sleep a little.
constexpr Seconds awake{0.02};
constexpr std::chrono::microseconds nap{100};

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

void Patience::pause(const Awaited* awaited) {
  if (pauses_ == 0) {
    since_ = {};
  }
  ++pauses_;
  if (!is_crowded_ && pauses_ < looks_before_yielding) {
    relax();
    return;
  }
  sched_yield();
  if (pauses_ % pauses_between_looks == 0) {
    look(awaited);
  }
}

void Patience::look(const Awaited* awaited) {
  const RunWatch::Clock::time_point now = RunWatch::Clock::now();
  if (since_ == RunWatch::Clock::time_point{}) {
    since_ = now;
  }
  const Seconds waited = now - since_;
  if (awaited == nullptr) {
    watch_->look();
  } else {
    watch_->look(
        awaited->peer(), [awaited] { return awaited->describe(); }, waited);
  }
  if (awaited != nullptr && waited > watch_->timeout()) {
    watch_->give_up(awaited->peer(), awaited->describe());
  }
  if (waited > awake) {
    watch_->look_for_dead(awaited == nullptr ? fmt::format("rank {}", watch_->rank())
                                             : awaited->describe());
    std::this_thread::sleep_for(nap);
  }
}

}  // namespace ringcast
