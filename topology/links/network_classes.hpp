#pragma once

#include <vector>

#include "topology/links/link_class.hpp"

namespace ringcast::detail {

/// Adds InfiniBand, Ethernet and other fabrics to a table of link classes, without the measurements
/// of the published set `left_out`.
void add_networks(std::vector<LinkClass>& table, std::string_view left_out);

/// What is left of a network's bandwidth to messages that kernels stage in host memory, on GPUs of
/// this generation of PCIe: no more than two channels move, and up to PCIe 3.0 a share of it.
[[nodiscard]] BytesPerSecond staged_by_kernels(BytesPerSecond bandwidth, int pcie,
                                               std::string_view left_out = {});

}  // namespace ringcast::detail
