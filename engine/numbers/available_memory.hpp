#pragma once

#include "engine/numbers/units.hpp"

namespace ringcast {

/// The memory of this host that processes can allocate without swapping (MemAvailable); if the
/// system does not report it, the largest value.
[[nodiscard]] Bytes available_memory();

}  // namespace ringcast
