#include "sim/message_cost.hpp"

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

BytesPerSecond MessageCost::limit(Bytes length, BytesPerSecond payload, bool is_lent) const {
  return is_lent ? BytesPerSecond{0} : 1 / path_->protocol_of(length).efficiency * payload;
}

}  // namespace ringcast
