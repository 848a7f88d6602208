#include "topology/rings/bounded_rings.hpp"

#include <cmath>

namespace ringcast::detail {

double BoundedRings::rate_over(BytesPerSecond bandwidth, int times) const {
  const double rate = bandwidth.value() / times;
  const double each = least_rate.value();
  return each > 0 ? each * std::floor(rate / each) : rate;
}

}  // namespace ringcast::detail
