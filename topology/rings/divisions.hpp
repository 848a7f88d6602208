#pragma once

#include <string>
#include <vector>

#include "topology/rings/bounded_rings.hpp"

namespace ringcast::detail {

/// A division of the ranks into parties, and the rate of all transfers between them.
struct Division {
  double parties = 0;
  double rate = 0;
  std::string reason;
  bool is_limited = true;  // false if buffers share a memory of unknown rate
};

/// The divisions of all ranks of a job, at least two, that its bounds consider.
[[nodiscard]] std::vector<Division> divisions_of(const TransferPaths& paths,
                                                 const BoundedRings& bounded);

}  // namespace ringcast::detail
