#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <queue>
#include <vector>

#include "engine/contracts/pending.hpp"
#include "sim/fluid/fluid_job.hpp"
#include "sim/fluid/round_skipper.hpp"
#include "sim/model/fibers.hpp"
#include "sim/model/message_stream.hpp"

namespace ringcast {

/// A discrete-event simulation of a job without SimGrid: the same message costs and max-min fair
/// links, with ranks on fibers and flows by FluidFlows. It has access to its whole state, so it can
/// skip rounds that repeat (RoundSkipper), and it does not have the fault of SimGrid's selective
/// update (HostRoutes).
class FluidSimulation {
 public:
  /// Both must outlive this.
  FluidSimulation(const FluidJob& job, const TransferPaths& paths);

  /// Called when all ranks that have not ended are blocked for ever, before they get Stopped.
  void on_deadlock(std::function<void()> deadlock) { deadlock_ = std::move(deadlock); }
  /// Called after every 4,096th message with the number delivered so far, unless rounds may be
  /// skipped soon.
  void on_progress(std::function<void(std::uint64_t messages)> progress) {
    progress_ = std::move(progress);
  }
  /// Runs every rank's body until all have ended. If one throws, or the simulation itself fails,
  /// the others get Stopped. Returns the first exception.
  [[nodiscard]] std::exception_ptr run(const std::function<void(std::size_t rank)>& body);
  [[nodiscard]] Seconds now() const { return now_ + skipper_.skipped_time(); }

  /// now() without the time of skipped rounds; its differences are exact.
  [[nodiscard]] Seconds own_time() const { return now_; }

  // From a rank's body:
  void sleep(std::size_t rank, Seconds duration);
  void copy(std::size_t rank, CopyDirection direction, Bytes size);
  void post_send(int stream, MessageSide& send);
  void post_lent(int stream, MessageSide& send, int answers);
  void post_recv(int stream, MessageSide& recv);
  /// Returns when the message has arrived; throws Stopped if the run ends before.
  void wait(std::size_t rank, MessageSide& side);
  /// Returns when any message of the rank has arrived.
  void wait_for_any(std::size_t rank);
  /// False if the rank has waited for all of its messages that have arrived.
  [[nodiscard]] bool may_be_done(std::size_t rank) const { return ranks_[rank].arrived > 0; }
  void withdraw(int stream, MessageSide& side) noexcept;
  /// Endpoint::repeats.
  [[nodiscard]] std::int64_t repeats(std::size_t rank, AlikeRounds rounds);
  /// Simulates all rounds, for jobs in which reductions slow computations.
  void forbid_skipping() { skipper_.forbid(); }
  /// Ends the run once so many streams have begun messages.
  void stop_once_begun(std::size_t streams) { awaited_begins_ = streams; }
  /// The sum of the overheads of the messages that a rank has sent, skipped ones included.
  [[nodiscard]] Seconds overheads(std::size_t rank) const { return ranks_[rank].overheads; }

  /// The messages that a stream has delivered so far, skipped ones included.
  [[nodiscard]] const StreamTraffic& traffic(int stream) const {
    return at(stream).messages.traffic();
  }
  /// The messages that a stream has begun.
  struct Begun {
    Seconds first_byte;  // of all
    Bytes shortest;
    Bytes longest;
  };
  [[nodiscard]] const std::optional<Begun>& begun(int stream) const { return at(stream).begun; }

 private:
  struct Stream {
    MessageStream messages;
    std::size_t from;
    std::size_t to;
    std::uint64_t begin_event = 0;  // of the last message to begin; 0: it was withdrawn
    std::optional<Begun> begun = {};
  };
  struct Event {
    Seconds time;
    std::uint64_t number;
    int flow;          // the flow that begins; negative: a sleeping rank wakes
    std::size_t rank;  // the sleeper, or the owner of a copy
    friend bool operator>(const Event& a, const Event& b) {
      return a.time != b.time ? a.time > b.time : a.number > b.number;
    }
  };
  struct RankState {
    bool is_waiting = false;  // for a copy or a sleep to end
    bool awaits_any = false;  // any message
    int arrived = 0;          // messages that it has not waited for; some may be cancelled
    Seconds wakes{0};         // or begins its copy
    Bytes copied{};
    std::int64_t operations = 0;  // since the last repeats()
    Seconds overheads{0};
  };

  [[nodiscard]] Stream& at(int stream) { return streams_[static_cast<std::size_t>(stream)]; }
  [[nodiscard]] const Stream& at(int stream) const {
    return streams_[static_cast<std::size_t>(stream)];
  }
  /// Ends the run: blocked ranks get Stopped.
  void stop() { stopped_ = true; }
  std::uint64_t schedule(Seconds time, int flow, std::size_t rank);
  void posted(int stream, std::size_t rank);
  void add_overheads(const Stream& stream, std::uint64_t messages);
  void try_begin(int stream);
  void handle(const Event& event);
  void note_begin(Stream& stream);
  void end_flow(int flow);
  void end_message(int stream);
  void wake_for(const MessageSide& done, std::size_t rank);
  void count_delivered() {
    constexpr std::uint64_t between = 4096;
    if (++delivered_ % between == 0 && progress_ && !skipper_.may_skip_soon()) {
      progress_(delivered_);
    }
  }
  void pass_time();
  template <typename Action>
  void attempt(const Action& action) noexcept;
  [[nodiscard]] bool advance();
  void end_all_waits();
  void block();
  [[nodiscard]] bool is_stream(int flow) const { return flow < static_cast<int>(streams_.size()); }
  void skip_repeated_rounds();
  [[nodiscard]] RoundState state() const;
  [[nodiscard]] Fingerprint rounds_of_ranks() const;
  void add_copies(RoundState& state) const;
  void add_stream(std::size_t stream, RoundState& state) const;

  const FluidJob* job_;
  const TransferPaths* paths_;
  Fibers fibers_;
  FluidFlows flows_;
  std::vector<Stream> streams_;
  std::vector<RankState> ranks_;
  std::vector<std::size_t> copier_;  // by flow: the rank that copies; unused for streams
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t events_made_ = 0;
  std::size_t begun_streams_ = 0;
  std::optional<std::size_t> awaited_begins_;
  Seconds now_{0};  // without the time of skipped rounds
  std::function<void()> deadlock_;
  std::function<void(std::uint64_t messages)> progress_;
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::uint64_t delivered_ = 0;
  RoundSkipper skipper_;
};

}  // namespace ringcast
