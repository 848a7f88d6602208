#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// A priority queue of the times at which the next flow of each bundle ends. Of equal times, the
/// one that was set first comes first. It is a 4-ary heap, half as deep as a binary one, with an
/// index of each bundle's place, so that set() can change a time in O(log n).
class FlowEnds {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] int first() const { return heap_.front().bundle; }
  [[nodiscard]] Seconds first_time() const { return heap_.front().time; }
  /// Adds a bundle, or changes its time.
  void set(int bundle, Seconds time);
  /// No effect on a bundle that is not in the queue.
  void erase(int bundle);

 private:
  static constexpr std::size_t children = 4;
  static constexpr std::size_t no_place = ~std::size_t{0};
  struct End {
    Seconds time;
    std::uint64_t stamp;
    int bundle;
    [[nodiscard]] bool is_before(const End& other) const {
      return time != other.time ? time < other.time : stamp < other.stamp;
    }
  };

  [[nodiscard]] std::size_t& place_of(int bundle) {
    return places_[static_cast<std::size_t>(bundle)];
  }
  void put(std::size_t place, const End& end);
  void move(std::size_t place, const End& end);

  std::vector<End> heap_;
  std::vector<std::size_t> places_;  // by bundle
  std::uint64_t stamps_ = 0;
};

}  // namespace ringcast
