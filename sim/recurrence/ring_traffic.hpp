#pragma once

#include <cstdint>

#include "engine/schedule/ring_order.hpp"
#include "sim/model/message_cost.hpp"
#include "sim/model/sim_report.hpp"

namespace ringcast {

/// What the rank at a position of a ring sends in an all-reduce of `elements` elements in whole
/// chunks, none of them empty. `cost`: of messages to its next neighbour; `width`: of an element.
[[nodiscard]] PairTraffic ring_traffic(const MessageCost& cost, const RingOrder& order,
                                       int position, std::uint64_t elements, Bytes width);

}  // namespace ringcast
