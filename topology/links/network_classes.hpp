#pragma once

#include <vector>

#include "topology/links/link_class.hpp"

namespace ringcast::detail {

/// Adds InfiniBand, Ethernet and other fabrics to a table of link classes, without the measurements
/// of the published set `left_out`.
void add_networks(std::vector<LinkClass>& table, std::string_view left_out);

/// The bandwidth of messages over a network that kernels stage in host memory, with GPUs on this
/// generation of PCIe: at most the rate of two channels, and up to PCIe 3.0 a fraction of the
/// network's.
[[nodiscard]] BytesPerSecond staged_by_kernels(BytesPerSecond bandwidth, int pcie,
                                               std::string_view left_out = {});

}  // namespace ringcast::detail
