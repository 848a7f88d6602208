#include "engine/schedule/ring_schedule.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/numbers/error.hpp"

namespace ringcast {

int phase_steps(int size) {
  return size - 1;
}

// A chunk moves one position per step: the rank at p sends in step s the chunk that it received in
// step s-1, so outgoing(s) = incoming(s-1), and its previous neighbour sent that one, so
// incoming(p, s) = outgoing(p-1, s). With outgoing(p, 0) = p-1 the last chunk to arrive, in step
// n-2, is p-n: p.
RingStep reduce_scatter_step(int position, int step) {
  return {position - 1 - step, position - 2 - step};
}

// The same recursion from outgoing(p, 0) = p, the chunk that the reduce-scatter completed at p.
RingStep all_gather_step(int position, int step) {
  return {position - step, position - 1 - step};
}

int segment_count(std::uint64_t elements, std::uint64_t segment) {
  if (segment == 0 || elements <= segment) {
    return 1;
  }
  const std::uint64_t count = (elements - 1) / segment + 1;
  expect(count <= static_cast<std::uint64_t>(std::numeric_limits<int>::max()),
         "{} elements in segments of {} are too many segments", elements, segment);
  return static_cast<int>(count);
}

RingSchedule::RingSchedule(RingPhases phases, int position, int size, ElementRange share,
                           std::uint64_t segment)
    : RingSchedule{phases, position, ChunkGroups{Chunks{share, size}, size}, segment} {}

RingSchedule::RingSchedule(RingPhases phases, int position, ChunkGroups chunks,
                           std::uint64_t segment)
    : phases_{phases},
      position_{position},
      size_{chunks.count()},
      steps_{(phases == RingPhases::both ? 2 : 1) * phase_steps(size_)},
      segments_{segment_count(chunks.largest(), segment)},
      filled_{chunks.are_renumbered() ? size_ : chunks.filled()},
      chunks_{std::move(chunks)} {
  expect(position >= 0 && position < size_, "position {} in a ring of {}", position, size_);
}

int RingSchedule::reducing_steps() const {
  return phases_ == RingPhases::all_gather ? 0 : phase_steps(size_);
}

Arrival RingSchedule::arrival_in(int step) const {
  if (step >= reducing_steps()) {
    return Arrival::replaces;
  }
  const bool completes =
      step + 1 == reducing_steps() && phases_ != RingPhases::partial_reduce_scatter;
  return completes ? Arrival::completes : Arrival::combines;
}

RingStep RingSchedule::chunks_at(int step) const {
  return step < reducing_steps() ? reduce_scatter_step(position_, step)
                                 : all_gather_step(position_, step - reducing_steps());
}

Transfer RingSchedule::operator[](std::int64_t index) const {
  const int step = static_cast<int>(index / segments_);
  const int segment = static_cast<int>(index % segments_);
  const RingStep chunks = chunks_at(step);
  return {Chunks{chunks_[chunks.outgoing_chunk], segments_}[segment],
          Chunks{chunks_[chunks.incoming_chunk], segments_}[segment], arrival_in(step)};
}

// With fewer elements than positions, chunks 0 .. f-1 have one each. A step sends chunk c and
// receives chunk c-1, so it moves an element if c is among 0 .. f; c falls by one with each step.
std::int64_t RingSchedule::next_filled(std::int64_t index) const {
  if (filled_ == size_) return index;
  if (filled_ == 0) return count();
  auto step = static_cast<int>(index / segments_);
  for (const int end : {reducing_steps(), steps_}) {
    if (step >= end) continue;
    const int outgoing = (chunks_at(step).outgoing_chunk + 2 * size_) % size_;
    const int first = step + std::max(0, outgoing - filled_);
    if (first < end) return std::max(index, static_cast<std::int64_t>(first) * segments_);
    step = end;
  }
  return count();
}

// A step posts transfers of its own and waits for those of the step before (or of its own). So it
// is like the last one if both, and the one before those two, have arrivals of one kind: a run of
// steps of a kind repeats from its third on.
int RingSchedule::steps_like_last(int step) const {
  if (step < 2 || step >= steps_ || !chunks_.are_equal()) {
    return 0;
  }
  const Arrival kind = arrival_in(step);
  if (arrival_in(step - 2) != kind) return 0;
  int end = steps_;
  if (kind != Arrival::replaces) {
    end = phases_ == RingPhases::partial_reduce_scatter ? reducing_steps() : reducing_steps() - 1;
  }
  return end - step;
}

}  // namespace ringcast
