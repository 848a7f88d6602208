#pragma once

#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// A flow crosses a link so many times: it takes that many shares of its bandwidth. In a folded job
/// it is the number of flows of one class over each link of a class.
struct Crossing {
  int link;
  int times;

  friend auto operator<=>(const Crossing&, const Crossing&) = default;
};

/// The links of one flow, each once, and the flow's own limit (zero: none).
struct FlowRoute {
  std::vector<Crossing> crossings;
  BytesPerSecond limit{0};
};

/// Leaves the crossings of links for which flows compete, and lets the limits do for the others:
///   - A link whose flows fit into it together can never be full. So one flow alone on a link has
///     its bandwidth as a limit.
///   - A link cannot be full before another that all its flows cross too, if each takes as large a
///     part of that one: of links with the same flows the slowest stays.
/// Then no rate is computed where no two streams meet on a link.
[[nodiscard]] std::vector<FlowRoute> over_contended_links(
    const std::vector<BytesPerSecond>& bandwidths, std::vector<FlowRoute> routes);

}  // namespace ringcast
