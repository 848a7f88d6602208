#pragma once

#include "engine/contracts/pending.hpp"
#include "engine/numbers/units.hpp"

namespace ringcast {

/// Computation of a rank, concurrent with its communication: models the work of a training step.
///
/// - Duration: an uncontended compute(t) completes t after the call, never earlier.
/// - Overlap: it runs while the rank communicates.
/// - Order: computations of a rank follow one another, in the order of the calls, as on a CUDA
///   stream; they may all be posted at once.
class Processor {
 public:
  virtual ~Processor() = default;
  virtual Pending compute(Seconds work) = 0;
};

}  // namespace ringcast
