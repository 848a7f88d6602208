#include "real/mpi/backoff.hpp"

#include <thread>

#include <sched.h>

namespace ringcast {
namespace {

/// Spinning this often takes some 10 us, longer than a rank of the same host takes to answer.
constexpr unsigned spins_before_yielding = 1000;
/// A check of MPI costs about as much as a dozen yields.
constexpr unsigned pauses_between_checks = 16;
/// After this time the operation is a slow one, and the rank sleeps between checks.
constexpr Seconds time_before_naps{0.02};
constexpr std::chrono::microseconds nap{100};

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

void Backoff::pause() {
  ++pauses_;
  if (!is_oversubscribed_ && pauses_ < spins_before_yielding) {
    relax();
    return;
  }
  sched_yield();
  if (pauses_ % pauses_between_checks == 0) {
    check();
  }
}

void Backoff::check() {
  const RunWatch::Clock::time_point now = RunWatch::Clock::now();
  if (!since_) {
    since_ = now;
  }
  const Seconds waited = now - *since_;
  watch_->check(*awaited_, waited);
  if (waited > time_before_naps) {
    watch_->check_liveness(awaited_->describe());
    std::this_thread::sleep_for(nap);
  }
}

}  // namespace ringcast
