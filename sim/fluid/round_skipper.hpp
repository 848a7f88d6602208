#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/model/fingerprint.hpp"
#include "sim/model/message_stream.hpp"

namespace ringcast {

/// The state of a simulation between two events: all that its future depends on.
struct RoundState {
  Seconds now{0};
  std::int64_t round = 0;  // of the first rank
  /// Rounds and operations of the ranks.
  Fingerprint ranks;
  /// The members below are set in a complete state only.
  bool is_complete = false;
  /// Numbers and lengths of messages.
  Fingerprint counts;
  /// Seconds from `now` until each time that the future depends on, such as the end of a flow; zero
  /// for times that have passed.
  std::vector<double> seconds;
  /// By stream; the future does not depend on it.
  std::vector<StreamTraffic> traffic;
};

/// Detects that the rounds of a simulation repeat, and how many of them can be skipped.
///
/// The state determines the future. If the state after a round of the first rank equals that of
/// some rounds ago, the rounds since then repeat in the same time, as long as the programs repeat
/// their operations (Endpoint::repeats). States count as equal if each time in them differs by at
/// most 1e-12 of the period, and this must hold after `confirmations` rounds in succession. Even if
/// every period added that difference, the relative error of the skipped time would be 1e-12.
///
/// A complete state is expensive: it is taken only if its part `ranks` has occurred before.
class RoundSkipper {
 public:
  explicit RoundSkipper(std::size_t ranks) : ranks_(ranks) {}

  /// A rank announces equal rounds, including the one that begins (Endpoint::repeats). Returns the
  /// number of rounds that it skips.
  [[nodiscard]] std::int64_t repeats(std::size_t rank, AlikeRounds rounds);
  void forbid() { forbidden_ = true; }
  /// Whether observe() needs the state once all events of this time are handled.
  [[nodiscard]] bool wants_state() const { return wants_state_ && !forbidden_; }
  /// Whether this part of a state has occurred lately.
  [[nodiscard]] bool has_seen(const Fingerprint& ranks) const;

  /// Whether rounds might be skipped soon: fewer states than the longest period were observed.
  [[nodiscard]] bool may_skip_soon() const {
    return !forbidden_ && observed_ > 0 && observed_ < longest_period;
  }

  /// Rounds that all ranks skip.
  struct Skip {
    std::int64_t periods;
    Seconds time;                        // of all periods
    std::vector<StreamTraffic> traffic;  // of all periods, by stream
  };
  [[nodiscard]] std::optional<Skip> observe(RoundState state);
  [[nodiscard]] Seconds skipped_time() const { return skipped_; }
  /// The number of rounds that a rank is ahead of the first rank.
  [[nodiscard]] std::int64_t lead(std::size_t rank) const {
    return ranks_[rank].round - ranks_.front().round;
  }

 private:
  struct RankRounds {
    std::int64_t round = 0;
    std::int64_t left = 0;     // alike ones, the current one included
    std::int64_t to_skip = 0;  // at the next call
  };
  static constexpr int confirmations = 3;
  static constexpr std::size_t longest_period = 48;

  void forget();
  [[nodiscard]] std::size_t most_past() const;
  [[nodiscard]] std::size_t find_period(const RoundState& state) const;

  std::vector<RankRounds> ranks_;
  std::deque<RoundState> past_;  // the latest first
  std::size_t observed_ = 0;     // since past_ was empty
  bool wants_state_ = false;
  bool forbidden_ = false;
  std::size_t period_ = 0;
  int confirmed_ = 0;
  Seconds skipped_{0};
};

}  // namespace ringcast
