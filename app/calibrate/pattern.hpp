#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/contracts/rank.hpp"
#include "engine/numbers/units.hpp"

namespace ringcast {

enum class PatternKind {
  ping_pong,       // a message there and back, `messages` times; timed by the sender
  acknowledged,    // `messages` one after the other, then a short one back; timed by the sender
  stream,          // `messages` one after the other; timed by the receiver, from a common start
  reduced,         // as stream, each message combined into what the receiver has
  passed,          // `messages` steps: each rank passes on what the step before brought it
  passed_reduced,  // the same, each message combined into what the receiver has
  lent,            // `messages` / 2 times: each rank reduces what it is lent, and answers
  combined_here,   // no message: each rank combines two of its own slices, `messages` times
};
/// `ping-pong`, `acknowledged`, `stream`, `reduced`, `passed`, `passed reduced`,
/// `lent`, `combined here`
[[nodiscard]] std::string_view name_of(PatternKind kind);
[[nodiscard]] std::optional<PatternKind> pattern_kind_named(std::string_view name);
[[nodiscard]] constexpr bool combines(PatternKind kind) {
  return kind == PatternKind::reduced || kind == PatternKind::passed_reduced ||
         kind == PatternKind::lent;
}

struct Flow {
  Rank from{};
  Rank to{};  // the same rank where no message travels
  friend bool operator==(const Flow&, const Flow&) = default;
};

/// Flows that run at once. A rank is in as many as it likes, but receives in one only, and is in
/// one only where the sender keeps the time.
struct Pattern {
  PatternKind kind = PatternKind::stream;
  Bytes size;
  int messages = 1;
  std::vector<Flow> flows;
};

/// The place of a rank in a ring of flows; none for one that is not in it.
struct Neighbours {
  std::optional<Rank> before;
  std::optional<Rank> after;
};
[[nodiscard]] Neighbours neighbours(const Pattern& pattern, Rank rank);

/// A pattern's times: for each flow the median of its repetitions, for the whole of the messages.
struct PatternTimes {
  Pattern pattern;
  std::vector<Seconds> times;
  /// Half the distance of the quartiles over the median: the widest of the flows'.
  double scatter = 0;
  int repetitions = 1;
};

/// Length of the message that acknowledges.
inline constexpr Bytes acknowledgement{8};

}  // namespace ringcast
