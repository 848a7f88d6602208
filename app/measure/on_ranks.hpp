#pragma once

#include <functional>
#include <memory>
#include <string>
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

/// What a rank tells whoever started the job.
class RankVoice {
  struct State;

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
  [[nodiscard]] bool launched() const;
  /// What this rank does from now on: told if the job is ended from outside.
  void set_activity(std::string activity);
  /// Lets the rank speak that made this one fail.
  void wait_for_the_cause() const;
  /// On standard error, at once; the first failure only.
  void tell_failure(int exit_code, const std::string& text) const;

  /// How long a BlockingCall may last. Without one, for ever.
  void set_timeout(Seconds timeout);
  /// A call that nothing but its own end interrupts, for as long as this object lives. Should it
  /// last longer than the timeout, that is told and this process ended, with exit code 4.
  class BlockingCall {
   public:
    explicit BlockingCall(const RankVoice& voice);
    BlockingCall(const BlockingCall&) = delete;
    BlockingCall& operator=(const BlockingCall&) = delete;
    ~BlockingCall();

   private:
    const State* state_;
  };

 private:
  std::unique_ptr<State> state_;
};

/// The names of a job's hosts, each once: `n0,n1`.
[[nodiscard]] std::string distinct(const std::vector<std::string>& hosts);

/// Begins MPI and runs `body` on this rank; returns what it returns. If it throws, that is told and
/// the whole job ended with the exit code of the failure. Throws BackendUnavailable without MPI.
int on_ranks(const MpiProgram& program, const std::function<int(MpiWorld&, RankVoice&)>& body);

}  // namespace ringcast
