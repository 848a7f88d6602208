#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/model/fingerprint.hpp"
#include "sim/model/message_stream.hpp"

namespace ringcast {

/// The state of a simulation at one time, between two events: what its future depends on.
struct RoundState {
  Seconds now{0};
  std::int64_t round = 0;  // of the first rank
  /// Rounds and operations of the ranks.
  Fingerprint ranks;
  /// Only a complete state has what follows.
  bool is_complete = false;
  /// Numbers of messages, lengths.
  Fingerprint counts;
  /// Seconds from now until something that has been decided happens, or since something that still
  /// counts happened.
  std::vector<double> seconds;
  /// By stream; no part of what the future depends on.
  std::vector<StreamTraffic> traffic;
};

/// Finds out when the rounds of a simulation repeat, and how many of them can be left out.
///
/// The future follows from the state. If the state after a round of the first rank is the one some
/// rounds ago, the same rounds follow in the same time, as long as the programs go on alike
/// (Endpoint::repeats). "The same" allows for rounding: every time in the state may differ by 1e-12
/// of the period, and must do so in `confirmations` rounds in succession. If each period repeated
/// that difference, the error of the whole would be 1e-12 of it.
///
/// A complete state is expensive: it is taken only where the ranks' part has occurred before.
class RoundSkipper {
 public:
  explicit RoundSkipper(std::size_t ranks) : ranks_(ranks) {}

  /// A rank says that so many more rounds are alike, the one that begins included. Returns how many
  /// are left out.
  [[nodiscard]] std::int64_t repeats(std::size_t rank, AlikeRounds rounds);
  void forbid() { forbidden_ = true; }
  /// Whether observe() wants the state as soon as nothing more happens at this time.
  [[nodiscard]] bool wants_state() const { return wants_state_ && !forbidden_; }
  /// Whether this part of a state has occurred lately.
  [[nodiscard]] bool has_seen(const Fingerprint& ranks) const;

  /// Whether the rounds that follow might soon be left out: fewer than the longest period have been
  /// seen.
  [[nodiscard]] bool may_skip_soon() const {
    return !forbidden_ && observed_ > 0 && observed_ < longest_period;
  }

  /// Rounds that all ranks leave out.
  struct Skip {
    std::int64_t periods;
    Seconds time;                        // of all of them
    std::vector<StreamTraffic> traffic;  // likewise, by stream
  };
  [[nodiscard]] std::optional<Skip> observe(RoundState state);
  [[nodiscard]] Seconds skipped_time() const { return skipped_; }
  /// The rounds that a rank is ahead of the first.
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
