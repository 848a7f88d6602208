#include "app/measure/on_ranks.hpp"

#include <csignal>

#include <fmt/ranges.h>
#include <unistd.h>

#include "app/common/console.hpp"
#include "app/measure/job_words.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

using namespace std::chrono_literals;

// Short enough for useful timeouts, too long to disturb a measurement.
constexpr std::timespec heartbeat{.tv_sec = 2, .tv_nsec = 0};
// mpirun sends SIGKILL a second after SIGTERM. Until then the transport may detect a lost peer,
// which explains more than the signal.
constexpr auto time_to_detect = 500ms;
// A rank that failed because another did reports after it, unless mpirun has begun to kill.
constexpr auto time_for_root_cause = 500ms;

using Clock = std::chrono::steady_clock;

sigset_t signals_of_thread() {
  sigset_t signals{};
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGUSR1);
  return signals;
}

/// Whether a failure may be due to a rank's host: a file or a device that it does not have.
bool is_refusal(int exit_code) {
  return exit_code == ScenarioError::code || exit_code == BackendUnavailable::code;
}

}  // namespace

std::vector<std::string> hosts_of_nodes(const MpiWorld& world) {
  std::vector<std::string> hosts;
  for (std::size_t rank = 0; rank < world.hosts().size(); ++rank) {
    const auto node = static_cast<std::size_t>(world.node_of()[rank]);
    if (node >= hosts.size()) hosts.push_back(world.hosts()[rank]);
  }
  return hosts;
}

RankReporter::RankReporter() {
  const sigset_t signals = signals_of_thread();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  thread_ = std::thread{[this] { watch(); }};
}

RankReporter::~RankReporter() {
  ends_ = true;
  ::pthread_kill(thread_.native_handle(), SIGUSR1);
  thread_.join();
}

void RankReporter::begin(const MpiWorld& world) {
  rank_ = index_of(world.rank());
  send(begun_word, fmt::format("{}", fmt::join(hosts_of_nodes(world), ",")));
}

void RankReporter::send(std::string_view word, const std::string& text) const {
  if (rank_ == 0) {
    print_output(to_line(JobWord{std::string{word}, text}) + "\n");
  }
}

void RankReporter::set_activity(std::string activity) {
  const std::lock_guard lock{mutex_};
  activity_ = std::move(activity);
}

void RankReporter::report_failure(int exit_code, const std::string& text) const {
  if (!has_reported_.test_and_set()) {
    print_message(to_line(RankFailure{std::max(0, rank_.load()), exit_code, text}) + "\n");
  }
}

void RankReporter::wait_for_root_cause() const {
  if (!stopping_) std::this_thread::sleep_for(time_for_root_cause);
}

void RankReporter::count_call() const {
  calls_.store(calls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void RankReporter::watch() {
  const sigset_t signals = signals_of_thread();
  std::uint64_t calls = 0;
  Clock::time_point since = Clock::now();  // begin of the current call, to a heartbeat
  while (!ends_) {
    if (::sigtimedwait(&signals, nullptr, &heartbeat) == SIGTERM) {
      stopping_ = true;
      std::this_thread::sleep_for(time_to_detect);
      end(128 + SIGTERM, "was stopped", "");
    }
    if (calls_ % 2 == 0 || calls_ != calls) {
      calls = calls_;
      since = Clock::now();
    } else if (Clock::now() - since > timeout_.load()) {
      end(TransportError::code, "hung in a call",
          fmt::format(": it did not return for {} (some rank does not answer, or --timeout is too "
                      "short)",
                      to_text(timeout_.load())));
    }
    try {
      send(alive_word, "");
    } catch (const Error&) {
      return;  // the launcher has closed the pipe
    }
  }
}

void RankReporter::end(int exit_code, std::string_view how, const std::string& details) {
  const std::lock_guard lock{mutex_};
  if (rank_ >= 0) {
    report_failure(TransportError::code,
                   fmt::format("rank {} {} while it {}{}", rank_.load(), how, activity_, details));
  }
  ::_exit(exit_code);
}

void expect_ranks(int asked, int started) {
  if (started == 1 && asked > 1) {
    throw ScenarioError{fmt::format(
        "--ranks: {} ranks, but this process is a job of its own (expected a launcher that fits "
        "the MPI of ringcast-mpi, such as its mpirun -n {}, or srun --mpi=pmix)",
        asked, asked)};
  }
  if (asked > started) {
    throw ScenarioError{
        fmt::format("--ranks: {} ranks, but {} were started (expected 1 to {}; mpirun -n {} starts "
                    "as many)",
                    asked, started, started, asked)};
  }
}

int on_ranks(const std::function<int(MpiWorld&, RankReporter&)>& body) {
  RankReporter reporter;
  std::unique_ptr<MpiWorld> world;
  try {
    world = std::make_unique<MpiWorld>();
    reporter.begin(*world);
    const int exit_code = body(*world, reporter);
    reporter.set_activity("ended MPI");
    reporter.in_call([&world] { world.reset(); });
    return exit_code;
  } catch (const std::exception& failure) {
    const int exit_code = exit_code_of(failure);
    const bool is_of_host = world && world->rank() != Rank{0} && is_refusal(exit_code);
    // What all ranks refuse, rank 0 reports.
    if (is_of_host || dynamic_cast<const TransportError*>(&failure) != nullptr) {
      reporter.wait_for_root_cause();
    }
    reporter.report_failure(exit_code,
                            is_of_host ? fmt::format("rank {} on {}: {}", index_of(world->rank()),
                                                     world->host(), failure.what())
                                       : failure.what());
    if (world) {
      world->abort(exit_code);
    }
    return exit_code;
  }
}

}  // namespace ringcast
