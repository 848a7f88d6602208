#pragma once

#include <span>
#include <vector>

#include "engine/contracts/rank.hpp"

namespace ringcast {

/// A cyclic order of all ranks. Invariant: each rank of 0 .. size-1 appears exactly once.
class RingOrder {
 public:
  /// Throws ContractViolation unless `order` is a permutation.
  explicit RingOrder(std::vector<Rank> order);
  [[nodiscard]] static RingOrder identity(int size);

  [[nodiscard]] int size() const { return static_cast<int>(order_.size()); }
  [[nodiscard]] int position_of(Rank rank) const;
  [[nodiscard]] Rank rank_at(int position) const {
    return order_.at(static_cast<std::size_t>(position));
  }
  [[nodiscard]] Rank next(Rank rank) const;
  [[nodiscard]] Rank previous(Rank rank) const;
  [[nodiscard]] std::span<const Rank> ranks() const { return order_; }

 private:
  std::vector<Rank> order_;
  std::vector<int> position_;
};

}  // namespace ringcast
