#include "sim/fluid/flow_ends.hpp"

#include <algorithm>
#include <utility>

namespace ringcast {

void FlowEnds::put(std::size_t place, const End& end) {
  heap_[place] = end;
  place_of(end.bundle) = place;
}

/// Puts an end at this place, then sifts it up or down.
void FlowEnds::move(std::size_t place, const End& end) {
  while (place > 0) {
    const std::size_t parent = (place - 1) / children;
    if (!end.is_before(heap_[parent])) break;
    put(place, heap_[parent]);
    place = parent;
  }
  while (true) {
    const std::size_t begin = children * place + 1;
    if (begin >= heap_.size()) break;
    std::size_t least = begin;
    for (std::size_t i = begin + 1; i < std::min(begin + children, heap_.size()); ++i) {
      if (heap_[i].is_before(heap_[least])) least = i;
    }
    if (!heap_[least].is_before(end)) break;
    put(place, heap_[least]);
    place = least;
  }
  put(place, end);
}

void FlowEnds::set(int bundle, Seconds time) {
  const auto known = static_cast<std::size_t>(bundle) + 1;
  if (known > places_.size()) places_.resize(known, no_place);
  const End end{time, ++stamps_, bundle};
  if (place_of(bundle) == no_place) {
    place_of(bundle) = heap_.size();
    heap_.push_back(end);
  }
  move(place_of(bundle), end);
}

void FlowEnds::erase(int bundle) {
  if (static_cast<std::size_t>(bundle) >= places_.size()) return;
  const std::size_t place = std::exchange(place_of(bundle), no_place);
  if (place == no_place) return;
  const End last = heap_.back();
  heap_.pop_back();
  if (last.bundle != bundle) move(place, last);
}

}  // namespace ringcast
