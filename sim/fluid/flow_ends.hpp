#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// When each of some flows ends, the first in front: of several that end together, the one that was
/// set first. A heap with four children to a place, half as deep as one with two, in which each
/// flow knows its place, so that a new time moves it.
class FlowEnds {
 public:
  explicit FlowEnds(std::size_t flows) : places_(flows, no_place) {}

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] int first() const { return heap_.front().flow; }
  [[nodiscard]] Seconds first_time() const { return heap_.front().time; }
  /// The flow must have an end.
  [[nodiscard]] Seconds time_of(int flow) const { return heap_[place_of(flow)].time; }
  /// Gives a flow an end, or another one.
  void set(int flow, Seconds time);
  /// A flow that has none stays as it is.
  void erase(int flow);

 private:
  static constexpr std::size_t children = 4;
  static constexpr std::size_t no_place = ~std::size_t{0};
  struct End {
    Seconds time;
    std::uint64_t stamp;
    int flow;
    [[nodiscard]] bool is_before(const End& other) const {
      return time != other.time ? time < other.time : stamp < other.stamp;
    }
  };

  [[nodiscard]] std::size_t place_of(int flow) const {
    return places_[static_cast<std::size_t>(flow)];
  }
  void put(std::size_t place, const End& end);
  void move(std::size_t place, const End& end);

  std::vector<End> heap_;
  std::vector<std::size_t> places_;  // by flow
  std::uint64_t stamps_ = 0;
};

}  // namespace ringcast
