#pragma once

#include "engine/contracts/memory.hpp"
#include "engine/contracts/rank.hpp"
#include "engine/numbers/element.hpp"

namespace ringcast {

/// Inputs whose reduction is exact in every element type and in any order, as in nccl-tests'
/// verifiable inputs: small integers, few enough of them not zero (or, for prod, not one) that even
/// bfloat16 holds the result.
struct CheckedData {
  BufferId buffer{};
  std::uint64_t elements = 0;
  Reduction reduction;
  int ranks = 1;

  /// Writes the input of `rank`.
  void fill(Memory& memory, Rank rank) const;
  /// Throws WrongResult naming the first element that is not what the reduction of all inputs is.
  void verify_allreduce(const Memory& memory, Rank rank) const;
};

}  // namespace ringcast
