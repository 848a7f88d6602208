#pragma once

#include <string>
#include <string_view>

#include "engine/numbers/units.hpp"

namespace ringcast::detail {

/// The rate of a PCIe link after line coding, from the attributes link_speed ("16 GT/s", "16.0 GT/s
/// PCIe") and link_width (lanes; 0 or none: 16); zero if the speed is unknown.
[[nodiscard]] BytesPerSecond link_rate(std::string_view speed, int lanes);

/// The family of an AMD processor as /proc/cpuinfo counts: NCCL writes Zen 2 (23) as 143, the base
/// family beside 16 times the extended one.
[[nodiscard]] int amd_family(int familyid);

/// A chip of gpu_models() of this compute capability, times 10; empty if there is none.
[[nodiscard]] std::string_view chip_of_capability(int sm);

}  // namespace ringcast::detail
