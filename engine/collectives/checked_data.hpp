#pragma once

#include "engine/contracts/memory.hpp"
#include "engine/contracts/rank.hpp"
#include "engine/numbers/element.hpp"

namespace ringcast {

/// Inputs whose reduction is exact in every element type and in any order, like the verifiable
/// inputs of nccl-tests: small integers, so few of them non-zero (for prod: other than one) that
/// even bfloat16 represents the result.
struct CheckedData {
  BufferId buffer{};
  std::uint64_t elements = 0;
  Reduction reduction;
  int ranks = 1;

  /// Writes the input of `rank`.
  void fill(Memory& memory, Rank rank) const;
  /// Throws WrongResult with the first element that differs from the reduction of all inputs.
  void verify_allreduce(const Memory& memory, Rank rank) const;
};

}  // namespace ringcast
