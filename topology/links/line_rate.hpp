#pragma once

#include "engine/numbers/units.hpp"

/// Line rates, for the tables of link classes.
namespace ringcast::detail {

/// A line code: `data` of `line` bits on the wire are data.
struct LineCode {
  double data;
  double line;
};

inline constexpr LineCode code_8b10b{8, 10};
inline constexpr LineCode code_64b66b{64, 66};
inline constexpr LineCode code_128b130b{128, 130};
inline constexpr LineCode uncoded{1, 1};
// PCIe 6.0 sends flits of 256 bytes, 14 of which are error correction and checksum.
inline constexpr LineCode code_pcie_flit{242, 256};
// Reed-Solomon (544,514) over 256b/257b blocks: 514/544 * 256/257 = 512/544.
inline constexpr LineCode code_rs544{512, 544};

constexpr BytesPerSecond raw_rate(int lanes, double line_gbits_per_s, LineCode code) {
  return BytesPerSecond{lanes * line_gbits_per_s * 1e9 * code.data / code.line / 8};
}
constexpr BytesPerSecond gigabytes(double rate) {
  return BytesPerSecond{rate * 1e9};
}

// GPU to GPU in one NUMA domain 0.36 us, over two PCIe cables: voipmonitor/rtx6kpro,
// hardware/topology.md.
inline constexpr Seconds pcie_latency{0.36e-6 / 2};

}  // namespace ringcast::detail
