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
#include "real/mpi_world.hpp"

namespace ringcast {

/// The command line of ringcast-mpi, as MPI wants to see it.
struct MpiProgram {
  int& argc;
  char**& argv;
  bool launched = false;  // by `ringcast`, which reads the words (job_words.hpp)
};

/// The reports of a rank to the process that started the job.
class RankVoice {
 public:
  /// Begins before MPI: its thread takes the signals that would otherwise end the rank silently.
  explicit RankVoice(bool launched);
  RankVoice(const RankVoice&) = delete;
  RankVoice& operator=(const RankVoice&) = delete;
  ~RankVoice();

  /// MPI has begun.
  void begin(const MpiWorld& world);
  /// To the launcher, if there is one, from rank 0.
  void say(std::string_view word, const std::string& text) const;
  [[nodiscard]] bool launched() const { return launched_; }
  /// The activity of this rank from now on: reported if the job is ended from outside.
  void set_activity(std::string activity);
  /// Lets the rank report that made this one fail.
  void wait_for_the_cause() const;
  /// On standard error, at once; the first failure only.
  void tell_failure(int exit_code, const std::string& text) const;

  /// The longest that a BlockingCall may last. Unlimited at first.
  void set_timeout(Seconds timeout) { timeout_ = timeout; }
  /// A call that nothing but its own end interrupts, for as long as this object lives. Should it
  /// last longer than the timeout, that is told and this process ended, with exit code 4.
  class BlockingCall {
   public:
    explicit BlockingCall(const RankVoice& voice) : voice_{&voice} { voice_->count_call(); }
    BlockingCall(const BlockingCall&) = delete;
    BlockingCall& operator=(const BlockingCall&) = delete;
    ~BlockingCall() { voice_->count_call(); }

   private:
    const RankVoice* voice_;
  };

 private:
  void watch();
  [[noreturn]] void end(int exit_code, std::string_view how, const std::string& details);
  /// Only the rank's thread writes it: no locked increment, which would be measured with a short
  /// call.
  void count_call() const;

  const bool launched_;
  std::atomic<int> rank_ = -1;  // none yet
  std::mutex mutex_;            // of the activity
  std::string activity_ = "began MPI";
  std::atomic<bool> ends_ = false;
  std::atomic<bool> stopping_ = false;            // a signal has come
  mutable std::atomic_flag has_told_ = {};        // one failure a rank
  mutable std::atomic<std::uint64_t> calls_ = 0;  // odd while the rank is in a call
  std::atomic<Seconds> timeout_ = Seconds::max();
  std::thread thread_;
};

/// The names of a job's hosts, each once: `n0,n1`.
[[nodiscard]] std::string distinct(const std::vector<std::string>& hosts);

/// Begins MPI and runs `body` on this rank; returns what it returns. If it throws, that is told and
/// the whole job ended with the exit code of the failure. Throws BackendUnavailable without MPI.
int on_ranks(const MpiProgram& program, const std::function<int(MpiWorld&, RankVoice&)>& body);

}  // namespace ringcast
