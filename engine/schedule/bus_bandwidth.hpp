#pragma once

#include "engine/numbers/units.hpp"

namespace ringcast {

/// algbw = S/t; busbw = S/t * 2(n-1)/n, which is comparable with the rate of a link for any n
/// (nccl-tests, doc/PERFORMANCE.md). busbw is zero for one rank.
[[nodiscard]] BytesPerSecond algorithm_bandwidth(Bytes size, Seconds time);
[[nodiscard]] BytesPerSecond bus_bandwidth(int ranks, Bytes size, Seconds time);

}  // namespace ringcast
