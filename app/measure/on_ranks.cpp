#include "app/measure/on_ranks.hpp"

#include <atomic>
#include <csignal>
#include <mutex>
#include <thread>

#include <fmt/ranges.h>
#include <unistd.h>

#include "app/common/console.hpp"
#include "app/measure/job_words.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

using namespace std::chrono_literals;

// Often enough for the shortest useful timeouts, too seldom to be seen in a measurement.
constexpr std::timespec beat{.tv_sec = 2, .tv_nsec = 0};
// mpirun kills a second after SIGTERM. What the transport finds out itself, that a peer is gone,
// says more than the signal.
constexpr auto time_to_find_out = 500ms;
// A rank that failed because another did lets that one speak first, unless mpirun has begun to
// kill.
constexpr auto time_for_the_cause = 500ms;

using Clock = std::chrono::steady_clock;

/// Whether a rank is still in the same call. The rank only counts, which costs it next to nothing.
class CallWatch {
 public:
  /// `count` is odd while the rank is in a call. For how long that has been the same one.
  Seconds time_in(std::uint64_t count) {
    const Clock::time_point now = Clock::now();
    if (count % 2 == 0 || count != count_) {
      count_ = count;
      since_ = now;
    }
    return now - since_;
  }

 private:
  std::uint64_t count_ = 0;
  Clock::time_point since_ = Clock::now();
};

sigset_t signals_of_thread() {
  sigset_t signals{};
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGUSR1);
  return signals;
}

}  // namespace

std::string distinct(const std::vector<std::string>& hosts) {
  std::vector<std::string> names;
  for (const std::string& host : hosts) {
    if (std::find(names.begin(), names.end(), host) == names.end()) {
      names.push_back(host);
    }
  }
  return fmt::format("{}", fmt::join(names, ","));
}

struct RankVoice::State {
  bool launched = false;
  std::atomic<int> rank = -1;  // none yet
  mutable std::mutex mutex;
  std::string activity = "began MPI";
  std::atomic<bool> ends = false;
  std::atomic<bool> stopping = false;      // a signal has come
  mutable std::atomic_flag has_told = {};  // one failure a rank
  mutable std::atomic<std::uint64_t> calls = 0;
  std::atomic<Seconds> timeout = Seconds::max();
  std::thread thread;

  void say(std::string_view word, const std::string& text) const {
    if (launched && rank == 0) {
      print_output(to_line(JobWord{std::string{word}, text}) + "\n");
    }
  }
  void tell_failure(int exit_code, const std::string& text) const {
    if (!has_told.test_and_set()) {
      print_message(to_line(RankFailure{std::max(0, rank.load()), exit_code, text}) + "\n");
    }
  }
  /// The rank's thread alone writes it: no locked increment, which a short call would be measured
  /// with.
  void count_call() const {
    calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void wait_for_the_cause() const {
    constexpr auto step = 10ms;
    for (auto waited = 0ms; waited < time_for_the_cause && !stopping; waited += step) {
      std::this_thread::sleep_for(step);
    }
  }
  [[noreturn]] void end_by_signal() {
    stopping = true;
    std::this_thread::sleep_for(time_to_find_out);
    const std::lock_guard lock{mutex};
    if (rank >= 0) {
      tell_failure(4, fmt::format("rank {} was stopped while it {}", rank.load(), activity));
    }
    ::_exit(128 + SIGTERM);
  }
  [[noreturn]] void end_in_call() {
    const std::lock_guard lock{mutex};
    tell_failure(4,
                 fmt::format("rank {} hung in a call while it {}: it did not return for {} (some "
                             "rank does not answer, or --timeout is too short)",
                             rank.load(), activity, to_text(timeout.load())));
    ::_exit(4);
  }
  void listen() {
    const sigset_t signals = signals_of_thread();
    CallWatch watch;
    while (!ends) {
      if (::sigtimedwait(&signals, nullptr, &beat) == SIGTERM) {
        end_by_signal();
      }
      if (watch.time_in(calls) > timeout.load()) {
        end_in_call();
      }
      try {
        say(alive_word, "");
      } catch (const Error&) {
        return;  // nobody listens any more
      }
    }
  }
};

RankVoice::RankVoice(bool launched) : state_{std::make_unique<State>()} {
  state_->launched = launched;
  const sigset_t signals = signals_of_thread();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  state_->thread = std::thread{[state = state_.get()] { state->listen(); }};
}

RankVoice::~RankVoice() {
  state_->ends = true;
  ::pthread_kill(state_->thread.native_handle(), SIGUSR1);
  state_->thread.join();
}

void RankVoice::begin(const MpiWorld& world) {
  state_->rank = index_of(world.rank());
  say(begun_word, distinct(world.hosts()));
}

void RankVoice::say(std::string_view word, const std::string& text) const {
  state_->say(word, text);
}

bool RankVoice::launched() const {
  return state_->launched;
}

void RankVoice::set_activity(std::string activity) {
  const std::lock_guard lock{state_->mutex};
  state_->activity = std::move(activity);
}

void RankVoice::tell_failure(int exit_code, const std::string& text) const {
  state_->tell_failure(exit_code, text);
}

void RankVoice::set_timeout(Seconds timeout) {
  state_->timeout = timeout;
}

RankVoice::BlockingCall::BlockingCall(const RankVoice& voice) : state_{voice.state_.get()} {
  state_->count_call();
}

RankVoice::BlockingCall::~BlockingCall() {
  state_->count_call();
}

void RankVoice::wait_for_the_cause() const {
  state_->wait_for_the_cause();
}

int on_ranks(const MpiProgram& program, const std::function<int(MpiWorld&, RankVoice&)>& body) {
  RankVoice voice{program.launched};
  std::unique_ptr<MpiWorld> world;
  try {
    world = std::make_unique<MpiWorld>(program.argc, program.argv);
    voice.begin(*world);
    return body(*world, voice);
  } catch (const std::exception& failure) {
    const int exit_code = exit_code_of(failure);
    if (!world && !program.launched) {
      throw;
    }
    if (dynamic_cast<const TransportError*>(&failure) != nullptr) {
      voice.wait_for_the_cause();
    }
    voice.tell_failure(exit_code, failure.what());
    if (world) {
      world->abort(exit_code);
    }
    return exit_code;
  }
}

}  // namespace ringcast
