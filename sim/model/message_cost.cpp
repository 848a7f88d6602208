#include "sim/model/message_cost.hpp"

#include <algorithm>
#include <cmath>

#include "engine/numbers/mixed_bits.hpp"

namespace ringcast {

Bytes MessageCost::on_wire(Bytes length, bool is_lent) const {
  if (!is_lent) {
    return path_->wire_bytes_of(length);
  }
  const double bytes = path_->lent_share * static_cast<double>(length.count());
  return Bytes{static_cast<std::uint64_t>(std::max(1.0, std::round(bytes)))};
}

Seconds random_delay(std::uint64_t seed, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t number = seed + (from << 32U | to) + 1;
  const std::uint64_t bits = mixed(number * splitmix_step);  // 53 of them become a part of 1
  return static_cast<double>(bits >> 11U) * 0x1p-53 * most_delay;
}

BytesPerSecond MessageCost::limit(Bytes length, BytesPerSecond payload, bool is_lent) const {
  if (is_lent) return BytesPerSecond{0};
  const TransferPath::Protocol& protocol = path_->protocol_of(length);
  return 1 / protocol.efficiency * narrower(protocol.channel_rate, payload);
}

}  // namespace ringcast
