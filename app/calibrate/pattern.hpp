#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/contracts/rank.hpp"
#include "engine/numbers/units.hpp"

namespace ringcast {

enum class PatternKind {
  ping_pong,       // `messages` round trips; timed by the sender
  acknowledged,    // `messages` one after the other, then a short answer; timed by the sender
  stream,          // `messages` one after the other; timed by the receiver, from a common start
  reduced,         // as stream; each message is combined into a buffer of the receiver
  passed,          // `messages` steps of a ring: each rank forwards the message of the step before
  passed_reduced,  // as passed; each message is combined into a buffer of the receiver
  lent,            // `messages` / 2 times: each rank reduces a lent buffer, and answers
  combined_here,   // no message: each rank combines two slices of its own `messages` times
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
  Rank to{};  // equal to `from` for combined_here
  friend bool operator==(const Flow&, const Flow&) = default;
};

/// Concurrent flows. A rank may be in several flows, but receives in at most one. If the sender is
/// the timekeeper, a rank is in at most one.
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

/// A pattern's times: for each flow the median over its repetitions, for all its messages.
struct PatternTimes {
  Pattern pattern;
  std::vector<Seconds> times;
  int repetitions = 1;
};

/// Length of an acknowledging message.
inline constexpr Bytes acknowledgement{8};

}  // namespace ringcast
