#include "engine/rival_cost.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/error.hpp"

namespace ringcast {
namespace {

double segments(const StarShape& shape, double bytes) {
  const auto most = static_cast<double>(shape.segment_size.count());
  return most > 0 ? std::max(1.0, std::ceil(bytes / most)) : 1.0;
}

Seconds transfer(double bytes, const HopCost& hop) {
  return Seconds{bytes / hop.bandwidth.value()};
}

Seconds moved(double bytes, const HopCost& hop) {
  return hop.latency + transfer(bytes, hop);
}

Seconds combined(const StarShape& shape, double bytes, const HopCost& hop) {
  const double k = segments(shape, bytes);
  const Seconds t = transfer(bytes, hop) / k;
  const Seconds r = bytes / k * hop.reduce_per_byte;
  return hop.latency + t + (k - 1) * std::max(t, r) + r;
}

double bytes_of(const StarShape& shape) {
  return static_cast<double>(shape.size.count());
}

/// One rank alone, or no data: nothing is sent.
bool is_idle(const StarShape& shape) {
  return shape.ranks == 1 || shape.size == Bytes{0};
}

}  // namespace

Seconds all_to_all_time(const StarShape& shape, const HopCost& hop) {
  expect(shape.segment_size == Bytes{0}, "no closed form of all-to-all in segments");
  if (is_idle(shape)) {
    return Seconds{0};
  }
  const double others = shape.ranks - 1;
  return moved(others * bytes_of(shape), hop) + others * bytes_of(shape) * hop.reduce_per_byte;
}

Seconds single_reducer_time(const StarShape& shape, const HopCost& hop) {
  if (is_idle(shape)) {
    return Seconds{0};
  }
  const double others = shape.ranks - 1;
  return others * combined(shape, bytes_of(shape), hop) + moved(others * bytes_of(shape), hop);
}

Seconds halving_doubling_time(const StarShape& shape, const HopCost& hop) {
  if (is_idle(shape)) {
    return Seconds{0};
  }
  const auto exchanging = static_cast<int>(std::bit_floor(static_cast<unsigned>(shape.ranks)));
  Seconds time{0};
  if (shape.ranks > exchanging) {
    time += combined(shape, bytes_of(shape), hop) + moved(bytes_of(shape), hop);
  }
  for (int parts = 2; parts <= exchanging; parts *= 2) {
    time += combined(shape, bytes_of(shape) / parts, hop) + moved(bytes_of(shape) / parts, hop);
  }
  return time;
}

Seconds double_tree_time(const StarShape& shape, const HopCost& hop) {
  const auto levels = std::bit_width(static_cast<unsigned>(shape.ranks));
  expect(shape.ranks == (1 << levels) - 1, "no closed form of trees of {} ranks", shape.ranks);
  if (is_idle(shape)) {
    return Seconds{0};
  }
  const double climb = static_cast<double>(levels) - 1;
  const double k = segments(shape, bytes_of(shape) / 2);
  const Seconds s = transfer(bytes_of(shape), hop) / k;
  const Seconds r = bytes_of(shape) / k * hop.reduce_per_byte;
  const Seconds up = climb * (hop.latency + s + r) + (k - 1) * std::max(s, r);
  const Seconds down = climb * (hop.latency + s) + (k - 1) * s;
  return up + down;
}

Seconds two_way_ring_time(const StarShape& shape, const HopCost& hop) {
  expect(shape.segment_size == Bytes{0} && hop.reduce_per_byte == Seconds{0},
         "no closed form of a two-way ring with segments or a reduction that takes time");
  if (is_idle(shape)) {
    return Seconds{0};
  }
  const double n = shape.ranks;
  return 2 * (n - 1) * moved(bytes_of(shape) / n, hop);
}

}  // namespace ringcast
