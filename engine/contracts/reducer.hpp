#pragma once

#include "engine/contracts/memory.hpp"
#include "engine/contracts/pending.hpp"
#include "engine/numbers/element.hpp"

namespace ringcast {

/// Combines slices where the data lives.
///
/// - Sizes: both slices have the same length, a multiple of the element size, and do not overlap;
///   otherwise ContractViolation.
/// - Values: those of accumulate_bytes() and finish_bytes(), bit for bit.
class Reducer {
 public:
  virtual ~Reducer() = default;
  [[nodiscard]] virtual Reduction reduction() const = 0;
  /// into[i] = into[i] (+) from[i]
  virtual Pending accumulate(Slice into, Slice from) = 0;
  /// Ends a reduction over `ranks` ranks: divides for avg, does nothing for other operations.
  virtual Pending finish(Slice into, int ranks) = 0;
};

}  // namespace ringcast
