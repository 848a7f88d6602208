#include "sim/model/message_cost.hpp"

#include <algorithm>
#include <cmath>

namespace ringcast {

Bytes MessageCost::on_wire(Bytes length, bool is_lent) const {
  if (!is_lent) {
    return path_->wire_bytes_of(length);
  }
  const double bytes = path_->lent_share * static_cast<double>(length.count());
  return Bytes{static_cast<std::uint64_t>(std::max(1.0, std::round(bytes)))};
}

Seconds random_delay(std::uint64_t seed, std::uint64_t from, std::uint64_t to) {
  // splitmix64 (Steele, Lea and Flood 2014), of which 53 bits become a part of 1.
  std::uint64_t bits = seed + (from << 32U | to) + 1;
  bits *= 0x9e3779b97f4a7c15U;
  bits = (bits ^ bits >> 30U) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ bits >> 27U) * 0x94d049bb133111ebU;
  return static_cast<double>((bits ^ bits >> 31U) >> 11U) * 0x1p-53 * most_delay;
}

BytesPerSecond MessageCost::limit(Bytes length, BytesPerSecond payload, bool is_lent) const {
  if (is_lent) return BytesPerSecond{0};
  const TransferPath::Protocol& protocol = path_->protocol_of(length);
  const bool by_channel = protocol.channel_rate > BytesPerSecond{0} &&
                          (payload <= BytesPerSecond{0} || protocol.channel_rate < payload);
  return 1 / protocol.efficiency * (by_channel ? protocol.channel_rate : payload);
}

}  // namespace ringcast
