#include "engine/schedule/ring_order.hpp"

#include "engine/numbers/error.hpp"

namespace ringcast {

RingOrder::RingOrder(std::vector<Rank> order)
    : order_{std::move(order)}, position_(order_.size(), -1) {
  expect(!order_.empty(), "a ring needs at least one rank");
  for (int place = 0; place < size(); ++place) {
    const int rank = index_of(order_[static_cast<std::size_t>(place)]);
    expect(rank >= 0 && rank < size(), "rank {} in a ring of {}", rank, size());
    int& position = position_[static_cast<std::size_t>(rank)];
    expect(position < 0, "rank {} appears at places {} and {}", rank, position, place);
    position = place;
  }
}

RingOrder RingOrder::identity(int size) {
  std::vector<Rank> order;
  order.reserve(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) {
    order.push_back(Rank{rank});
  }
  return RingOrder{std::move(order)};
}

int RingOrder::position_of(Rank rank) const {
  return position_.at(static_cast<std::size_t>(index_of(rank)));
}
Rank RingOrder::next(Rank rank) const {
  return order_[static_cast<std::size_t>((position_of(rank) + 1) % size())];
}
Rank RingOrder::previous(Rank rank) const {
  return order_[static_cast<std::size_t>((position_of(rank) + size() - 1) % size())];
}

}  // namespace ringcast
