#include "engine/schedule/bus_bandwidth.hpp"

namespace ringcast {

BytesPerSecond algorithm_bandwidth(Bytes size, Seconds time) {
  return time > Seconds{0} ? size / time : BytesPerSecond{0};
}

BytesPerSecond bus_bandwidth(int ranks, Bytes size, Seconds time) {
  const double n = ranks;
  return 2 * (n - 1) / n * algorithm_bandwidth(size, time);
}

}  // namespace ringcast
