#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/numbers/units.hpp"
#include "real/mpi/mpi_world.hpp"

namespace ringcast {

/// The reports of a rank to the process that started the job.
class RankReporter {
 public:
  /// To be constructed before MPI_Init: its thread receives the signals that would end the rank
  /// silently.
  RankReporter();
  RankReporter(const RankReporter&) = delete;
  RankReporter& operator=(const RankReporter&) = delete;
  ~RankReporter();

  /// To be called after MPI_Init; rank 0 reports the hosts.
  void begin(const MpiWorld& world);
  /// Rank 0 sends a word to the launcher.
  void send(std::string_view word, const std::string& text) const;
  /// Sets the current activity, which is reported if a signal ends the job.
  void set_activity(std::string activity);
  /// Waits, so that a rank whose failure made this one fail reports first.
  void wait_for_root_cause() const;
  /// Reports the first failure on standard error, at once; ignores later ones.
  void report_failure(int exit_code, const std::string& text) const;

  /// The limit on the time of a BlockingCall; unlimited by default.
  void set_timeout(Seconds timeout) { timeout_ = timeout; }
  /// A blocking call that cannot be interrupted, while this object lives. If it exceeds the
  /// timeout, that is reported and the process ends with exit code 4.
  class BlockingCall {
   public:
    explicit BlockingCall(const RankReporter& reporter) : reporter_{&reporter} {
      reporter_->count_call();
    }
    BlockingCall(const BlockingCall&) = delete;
    BlockingCall& operator=(const BlockingCall&) = delete;
    ~BlockingCall() { reporter_->count_call(); }

   private:
    const RankReporter* reporter_;
  };
  /// Does `work`, which is collective, and returns its value; on rank 0 as a BlockingCall. Other
  /// ranks may have to wait for rank 0 for longer, while it searches or takes part in a run.
  template <typename Work>
  auto in_call(const Work& work) const {
    if (rank_ != 0) return work();
    const BlockingCall call{*this};
    return work();
  }

 private:
  void watch();
  [[noreturn]] void end(int exit_code, std::string_view how, const std::string& details);
  /// Without a locked increment, which would add to the time of short calls: one thread writes it.
  void count_call() const;

  std::atomic<int> rank_ = -1;  // before begin()
  std::mutex mutex_;            // guards activity_
  std::string activity_ = "began MPI";
  std::atomic<bool> ends_ = false;
  std::atomic<bool> stopping_ = false;            // SIGTERM has arrived
  mutable std::atomic_flag has_reported_ = {};    // one failure a rank
  mutable std::atomic<std::uint64_t> calls_ = 0;  // odd while the rank is in a call
  std::atomic<Seconds> timeout_ = Seconds::max();
  std::thread thread_;
};

/// The names of a job's hosts, each once, in the order of their first ranks.
[[nodiscard]] std::vector<std::string> hosts_of_nodes(const MpiWorld& world);

/// Throws ScenarioError if fewer ranks were started than the command line asks for.
void expect_ranks(int asked, int started);

/// Initialises MPI, runs `body` on this rank and returns its value. An exception is reported and
/// ends the whole job with the exit code of the failure. Throws BackendUnavailable without MPI.
int on_ranks(const std::function<int(MpiWorld&, RankReporter&)>& body);

}  // namespace ringcast
