#include "sim/fluid/flow_ends.hpp"

#include <algorithm>

namespace ringcast {

void FlowEnds::put(std::size_t place, const End& end) {
  heap_[place] = end;
  places_[static_cast<std::size_t>(end.flow)] = place;
}

/// Puts an end at this place, or where the heap needs it: above or below.
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

void FlowEnds::set(int flow, Seconds time) {
  const End end{time, ++stamps_, flow};
  if (place_of(flow) == no_place) {
    places_[static_cast<std::size_t>(flow)] = heap_.size();
    heap_.push_back(end);
  }
  move(place_of(flow), end);
}

void FlowEnds::erase(int flow) {
  const std::size_t place = place_of(flow);
  if (place == no_place) return;
  const End last = heap_.back();
  heap_.pop_back();
  places_[static_cast<std::size_t>(flow)] = no_place;
  if (last.flow != flow) move(place, last);
}

}  // namespace ringcast
