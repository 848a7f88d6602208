#pragma once

namespace ringcast {

/// What the rank at one ring position does in one step: which chunk leaves, which one comes.
/// Chunk numbers are modulo the ring size.
struct RingStep {
  int outgoing_chunk;
  int incoming_chunk;
};

/// Reduce-scatter takes ring_phase_steps(size) steps; chunk c sets out from position c + 1 and is
/// complete at position c, where it belongs.
[[nodiscard]] RingStep reduce_scatter_step(int position, int step);
/// All-gather takes as many; chunk c sets out from position c, where it belongs.
[[nodiscard]] RingStep all_gather_step(int position, int step);
/// The number of steps of each phase: size - 1.
[[nodiscard]] int ring_phase_steps(int size);

}  // namespace ringcast
