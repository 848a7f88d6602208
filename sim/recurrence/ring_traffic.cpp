#include "sim/recurrence/ring_traffic.hpp"

#include <array>

namespace ringcast {

// In the reduce-scatter position p sends every chunk but p, in the all-gather every chunk but
// p + 1. The longer chunks come first.
PairTraffic ring_traffic(const MessageCost& cost, const RingOrder& order, int position,
                         std::uint64_t elements, Bytes width) {
  const auto chunks = static_cast<std::uint64_t>(order.size());
  const std::uint64_t longer = elements % chunks;
  std::array<std::uint64_t, 2> messages{2 * longer, 2 * (chunks - longer)};
  for (const int not_sent : {position, position + 1}) {
    --messages[static_cast<std::uint64_t>(not_sent) % chunks < longer ? 0 : 1];
  }
  const Rank from = order.rank_at(position);
  PairTraffic pair{from, order.next(from), messages[0] + messages[1], Bytes{0}, Bytes{0}, 1};
  const std::array<Bytes, 2> lengths{(elements / chunks + 1) * width, elements / chunks * width};
  for (std::size_t kind = 0; kind < lengths.size(); ++kind) {
    pair.bytes += messages[kind] * lengths[kind];
    pair.on_cables += messages[kind] * cost.on_wire(lengths[kind], false);
  }
  return pair;
}

}  // namespace ringcast
