#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "topology/links/line_rate.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast::detail {

struct InfinibandGeneration {
  std::string_view name;    // `hdr`
  double lane;              // Gb/s, as in the names of products: HDR100 has two lanes
  bool fewer_lanes;         // there are products with one or two lanes: HDR100, NDR200
  double line_gbits_per_s;  // of a lane
  LineCode code;
  double achievable_4x = 0;  // GB/s; 0: no figure is known
  std::string_view source = {};
};
/// The latest first.
[[nodiscard]] std::span<const InfinibandGeneration> infiniband_generations();

/// Adds InfiniBand, Ethernet and other fabrics to a table of link classes, without the measurements
/// of the published set `left_out`.
void add_networks(std::vector<LinkClass>& table, std::string_view left_out);

/// The bandwidth of messages over a network that kernels stage in host memory, with GPUs on this
/// generation of PCIe: at most the rate of two channels, and up to PCIe 3.0 a fraction of the
/// network's.
[[nodiscard]] BytesPerSecond staged_by_kernels(BytesPerSecond bandwidth, int pcie,
                                               std::string_view left_out = {});

}  // namespace ringcast::detail
