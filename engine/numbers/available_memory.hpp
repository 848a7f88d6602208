#pragma once

#include "engine/numbers/units.hpp"

namespace ringcast {

/// The memory that this host can give to processes without swapping; unlimited where it does not
/// say.
[[nodiscard]] Bytes available_memory();

}  // namespace ringcast
