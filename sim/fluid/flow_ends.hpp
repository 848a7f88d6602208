#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// When the next flow of each bundle ends, the first in front: of several that end together, the
/// one that was set first. A heap with four children to a place, half as deep as one with two, in
/// which each bundle knows its place, so that a new time moves it.
class FlowEnds {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] int first() const { return heap_.front().bundle; }
  [[nodiscard]] Seconds first_time() const { return heap_.front().time; }
  /// Gives a bundle an end, or another one.
  void set(int bundle, Seconds time);
  /// A bundle that has none stays as it is.
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
