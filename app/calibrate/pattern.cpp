#include "app/calibrate/pattern.hpp"

#include "engine/numbers/enum_names.hpp"

namespace ringcast {

namespace {

constexpr EnumNames<8> pattern_names{"ping-pong", "acknowledged",   "stream", "reduced",
                                     "passed",    "passed reduced", "lent",   "combined here"};

}  // namespace

std::string_view name_of(PatternKind kind) {
  return name_in(pattern_names, kind);
}

std::optional<PatternKind> pattern_kind_named(std::string_view name) {
  return enum_named<PatternKind>(pattern_names, name);
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
