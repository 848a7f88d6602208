#pragma once

#include <cstdint>

#include "engine/schedule/chunks.hpp"

namespace ringcast {

/// The chunks that one position of a ring sends and receives in one step, modulo the ring size.
struct RingStep {
  int outgoing_chunk;
  int incoming_chunk;

  friend bool operator==(const RingStep&, const RingStep&) = default;
};

/// The steps of either phase: size - 1.
[[nodiscard]] int phase_steps(int size);
/// Chunk c starts at position c + 1 and is complete at position c, its owner, size - 1 hops later.
[[nodiscard]] RingStep reduce_scatter_step(int position, int step);
/// Chunk c starts at position c and ends at position c - 1.
[[nodiscard]] RingStep all_gather_step(int position, int step);

/// The effect of an arriving segment: it replaces the elements, is combined with them, or is
/// combined with them and completes their sum.
enum class Arrival { replaces, combines, completes };

/// One segment out and one segment in, in the same step.
struct Transfer {
  ElementRange outgoing;
  ElementRange incoming;
  Arrival arrival;
};

/// The phases of a ring that a collective runs. A partial reduce-scatter is one over some of the
/// ranks: its sums are not complete.
enum class RingPhases { reduce_scatter, partial_reduce_scatter, all_gather, both };

/// One rank's transfers on one channel, in order, as pure arithmetic. ring_channel.cpp has a
/// drawing.
///
/// Transfer i sends the segment that transfer i - segments() received, so a rank may have
/// segments() transfers in flight.
class RingSchedule {
 public:
  /// `share` is the channel's part of the buffer, `segment` the most elements of a segment (zero:
  /// whole chunks). Throws ContractViolation unless 0 <= position < size.
  RingSchedule(RingPhases phases, int position, int size, ElementRange share,
               std::uint64_t segment);
  /// A ring with a chunk of given length for each position.
  RingSchedule(RingPhases phases, int position, ChunkGroups chunks, std::uint64_t segment);
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(steps_) * segments_; }
  [[nodiscard]] int segments() const { return segments_; }
  [[nodiscard]] Transfer operator[](std::int64_t index) const;
  /// The first transfer from `index` on in a step that has outgoing or incoming elements; count()
  /// if none has. If chunks are renumbered, `index`.
  [[nodiscard]] std::int64_t next_filled(std::int64_t index) const;
  /// The number of steps from `step` on that are like the one before: their transfers, and those
  /// that they wait for, have the same lengths and arrivals. Zero if chunks differ.
  [[nodiscard]] int steps_like_last(int step) const;

 private:
  [[nodiscard]] int reducing_steps() const;
  [[nodiscard]] RingStep chunks_at(int step) const;
  [[nodiscard]] Arrival arrival_in(int step) const;

  RingPhases phases_;
  int position_;
  int size_;
  int steps_;
  int segments_;
  int filled_;  // the number of first chunks that have elements; size_: all may
  ChunkGroups chunks_;
};

/// The number of segments of at most `segment` elements (zero: no limit) in a range; at least one.
/// Throws ContractViolation above 2^31 - 1.
[[nodiscard]] int segment_count(std::uint64_t elements, std::uint64_t segment);

}  // namespace ringcast
