#pragma once

#include <string>

#include "app/config/training_plan.hpp"

namespace ringcast {

/// The memory that a rank takes for a cell in host memory: its buffer, and the algorithm's scratch.
[[nodiscard]] Bytes memory_of(const PlannedCell& planned);
/// The same of a training: gradients, weights where these have buffers of their own, and scratch
/// for the largest bucket.
[[nodiscard]] Bytes memory_of(const PlannedTraining& planned);

/// Empty, or why `ranks` ranks of this host cannot run a cell of which each takes `each`: they need
/// more than the host has available.
[[nodiscard]] std::string memory_shortage(Bytes each, int ranks, const std::string& host);

}  // namespace ringcast
