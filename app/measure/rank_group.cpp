#include "app/measure/rank_group.hpp"

#include <algorithm>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

// Tags of algorithms count from 0, by channel, of which there are at most 1024.
constexpr Tag group_tag{16'384};
constexpr Bytes one_value{sizeof(double)};

}  // namespace

RankGroup::RankGroup(RankContext& self, std::size_t most_values)
    : self_{self},
      room_{std::max<std::size_t>(1, most_values) * one_value},
      outgoing_{self.memory.allocate(room_)},
      incoming_{self.memory.allocate(room_)} {}

// Dissemination (Hensgen, Finkel and Manber, 1988): after rounds at distance 1, 2, 4, ... each rank
// depends on every other. For a maximum, values may be combined twice.
void RankGroup::barrier() {
  for (int distance = 1; distance < self_.network.size(); distance *= 2) {
    exchange(distance, one_value);
  }
}

std::vector<double> RankGroup::max_of(std::vector<double> values) {
  const Bytes length = values.size() * one_value;
  expect(length <= room_, "{} values, but room for {}", values.size(), to_text(room_));
  std::vector<double> others(values.size());
  for (int distance = 1; distance < self_.network.size() && !values.empty(); distance *= 2) {
    self_.memory.write({outgoing_, Bytes{}, length}, std::as_bytes(std::span{values}));
    exchange(distance, length);
    self_.memory.read({incoming_, Bytes{}, length}, std::as_writable_bytes(std::span{others}));
    std::ranges::transform(values, others, values.begin(),
                           [](double a, double b) { return std::max(a, b); });
  }
  return values;
}

void RankGroup::exchange(int distance, Bytes length) {
  const int size = self_.network.size();
  const int me = index_of(self_.network.rank());
  Pending received = self_.network.recv(Rank{(me - distance + size) % size},
                                        {incoming_, Bytes{}, length}, group_tag);
  self_.network.send(Rank{(me + distance) % size}, {outgoing_, Bytes{}, length}, group_tag).wait();
  received.wait();
}

}  // namespace ringcast
