#include "engine/schedule/ring_cost.hpp"

#include <algorithm>

namespace ringcast {
namespace {

Seconds transfer_of_segment(const RingShape& shape, const HopCost& hop) {
  return hop.overhead + shape.largest_chunk / hop.bandwidth / static_cast<double>(shape.segments);
}

Seconds reduction_of_segment(const RingShape& shape, const HopCost& hop) {
  return static_cast<double>(shape.largest_chunk.count()) / static_cast<double>(shape.segments) *
         hop.reduce_per_byte;
}

}  // namespace

Seconds ring_reduce_scatter_time(const RingShape& shape, const HopCost& hop) {
  if (shape.ranks == 1) {
    return Seconds{0};
  }
  const double k = shape.segments;
  const Seconds transfer = transfer_of_segment(shape, hop);
  const Seconds reduction = reduction_of_segment(shape, hop);
  const Seconds slower = std::max(transfer, reduction);
  const Seconds trip = hop.latency + transfer + reduction;
  return trip + (k - 1) * slower + (shape.ranks - 2.0) * std::max(k * slower, trip);
}

Seconds ring_all_gather_time(const RingShape& shape, const HopCost& hop) {
  HopCost moving = hop;
  moving.reduce_per_byte = Seconds{0};
  return ring_reduce_scatter_time(shape, moving);
}

Seconds ring_allreduce_time(const RingShape& shape, const HopCost& hop) {
  if (shape.ranks == 1) {
    return Seconds{0};
  }
  const double n = shape.ranks;
  const double k = shape.segments;
  const Seconds transfer = transfer_of_segment(shape, hop);
  const Seconds reduction = reduction_of_segment(shape, hop);
  // A rank sends the segments of a step back to back (k t), combines them one after the other (k r)
  // and can send one on only after it has come and been combined (t + a + r): the slowest of the
  // three is the period of a step.
  const Seconds first = hop.latency + transfer;
  const Seconds gathering = (n - 2) * std::max(k * transfer, first);
  if (reduction > transfer && k * reduction >= first + reduction) {
    // The reductions follow each other without a pause; the wire may lag behind only once.
    return gathering +
           std::max(2 * first + (n - 1) * k * reduction, hop.latency + n * k * transfer);
  }
  return gathering + first + (k - 1) * std::max(transfer, reduction) +
         (n - 1) * std::max(k * transfer, first + reduction);
}

BytesPerSecond algorithm_bandwidth(Bytes size, Seconds time) {
  return time > Seconds{0} ? size / time : BytesPerSecond{0};
}

BytesPerSecond bus_bandwidth(int ranks, Bytes size, Seconds time) {
  const double n = ranks;
  return 2 * (n - 1) / n * algorithm_bandwidth(size, time);
}

}  // namespace ringcast
