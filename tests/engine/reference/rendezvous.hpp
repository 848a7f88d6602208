#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "engine/contracts/endpoint.hpp"
#include "engine/numbers/element.hpp"
#include "engine/reference/stopped.hpp"

namespace ringcast::detail {

/// One side of a message: a rank's send or receive, and its state.
struct Posting {
  enum class Kind { send, recv, recv_accumulate };
  enum class State { posted, moving, done, failed };

  Kind kind;
  Rank owner;
  Rank peer;
  Tag tag;
  std::span<std::byte> bytes;
  State state = State::posted;
  std::string failure{};
};

/// The network of a ReferenceTransport, whose ranks are threads.
///
/// The rank that posts the second half of a message moves its bytes, outside the lock, and then
/// notifies the other. A rank is blocked while it waits for a posting that has no second half; when
/// the last rank that was awake blocks or ends, nothing can happen any more: that is a deadlock.
class Rendezvous {
 public:
  using Clock = std::chrono::steady_clock;

  Rendezvous(int ranks, Reduction reduction);
  /// The posting must not move until wait() has ended or withdraw() has been called.
  void post(Posting& posting);
  void wait(Posting& posting);
  void withdraw(Posting& posting) noexcept;
  /// Sleeps until `end`, when the rank's own computation ends: the rank is not blocked.
  void sleep_until(Rank rank, Clock::time_point end);

  /// The program of `rank` has returned.
  void leave(Rank rank);
  /// Stops all ranks; the first call gives the reason.
  void fail(std::exception_ptr why);
  void rethrow_failure() const;

 private:
  using Stream = std::tuple<Rank, Rank, Tag>;
  struct Seat {
    std::condition_variable woken;
    const Posting* waits_for = nullptr;
    bool has_left = false;
  };

  [[nodiscard]] static Stream stream_of(const Posting& posting);
  [[nodiscard]] Seat& seat_of(Rank rank) {
    return seats_[static_cast<std::size_t>(index_of(rank))];
  }
  void move_bytes(const Posting& sent, const Posting& received) const;
  void settle(Posting& posting, Posting::State state);
  void fall_asleep();
  void stop(std::exception_ptr why);
  void take_back(Posting& posting);
  [[nodiscard]] std::string blocked_ranks() const;

  Reduction reduction_;
  std::mutex mutex_;
  std::deque<Seat> seats_;
  int awake_;
  bool stopped_ = false;
  std::exception_ptr failure_;
  /// Postings without a second half: all sends, or all recvs.
  std::map<Stream, std::deque<Posting*>> unmatched_;
};

}  // namespace ringcast::detail
