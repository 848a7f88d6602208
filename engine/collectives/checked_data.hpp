#pragma once

#include "engine/contracts/memory.hpp"
#include "engine/contracts/rank.hpp"
#include "engine/numbers/element.hpp"

namespace ringcast {

/// Inputs whose reduction is exact in every element type and in any order, like the verifiable
/// inputs of nccl-tests, and that show a rank left out, a buffer of zeros or a misplaced chunk.
///
/// The buffer consists of periods of P elements. In each a rank is once at each of P places, at
/// (rank + element) modulo P. With n ranks, and weights w of 1 and 2 at places 1 and 2, else 0:
///
///   sum   w, for up to 64 ranks w + 1; P >= n/32
///   avg   as sum; integers times n, so that no division truncates
///   prod  2^w; P >= n/4
///   max   2 + rank modulo 61 at place 2, else 1; P > n
///   min   the negative of max
///
/// - Exact: a sum at an element is that of at most 31 periods of ranks and a part of one, at most
///   3 x 32 = 96; with w + 1 at most 64 + 3 x 10. bfloat16 represents integers up to 256, and
///   different integers up to 128 differ when divided by n. A product is at most 2^(3 x 4).
/// - Left-out ranks: each has a weight in each period. For min and max no two ranks are at one
///   place, so the rank at place 2 alone has the extreme value.
/// - Zeros: each period has a result other than 0.
/// - Misplaced chunks: P is a prime that does not divide n, so the results of a period differ, and
///   no rotation maps them onto themselves. Each period of the buffer begins at a pseudorandom one
///   of its elements, so that chunks differ that are whole periods apart.
///
/// A buffer of fewer than P elements shows less.
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
