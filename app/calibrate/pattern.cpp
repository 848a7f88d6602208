#include "app/calibrate/pattern.hpp"

#include "engine/numbers/error.hpp"

namespace ringcast {

std::string_view name_of(PatternKind kind) {
  switch (kind) {
    case PatternKind::ping_pong:
      return "ping-pong";
    case PatternKind::acknowledged:
      return "acknowledged";
    case PatternKind::stream:
      return "stream";
    case PatternKind::reduced:
      return "reduced";
    case PatternKind::passed:
      return "passed";
    case PatternKind::passed_reduced:
      return "passed reduced";
    case PatternKind::lent:
      return "lent";
    case PatternKind::combined_here:
      return "combined here";
  }
  throw ContractViolation{"a pattern of no kind"};
}

Neighbours neighbours(const Pattern& pattern, Rank rank) {
  Neighbours found;
  for (const Flow& flow : pattern.flows) {
    if (flow.to == rank) found.before = flow.from;
    if (flow.from == rank) found.after = flow.to;
  }
  return found;
}

}  // namespace ringcast
