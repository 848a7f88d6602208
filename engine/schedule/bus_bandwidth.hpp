#pragma once

#include "engine/numbers/units.hpp"

namespace ringcast {

/// S/t, and S/t * 2(n-1)/n: comparable with the wire's speed whatever n is (nccl-tests,
/// doc/PERFORMANCE.md). busbw is zero for one rank, which moves nothing.
[[nodiscard]] BytesPerSecond algorithm_bandwidth(Bytes size, Seconds time);
[[nodiscard]] BytesPerSecond bus_bandwidth(int ranks, Bytes size, Seconds time);

}  // namespace ringcast
