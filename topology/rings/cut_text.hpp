#pragma once

#include <string>
#include <vector>

#include "topology/rings/transfer_network.hpp"

namespace ringcast::detail {

/// `4 x nvlink-3.0, 1 x host memory`, `3 x pcie-4.0-x16 for peer traffic`
[[nodiscard]] std::string classes_of(const Topology& topology, const std::vector<LinkId>& links);

/// The cables of a cut, by what they have in common: `the 4 cables from node0.gpu0 (135 GB/s)`
[[nodiscard]] std::string describe(const Topology& topology, const TransferCut& cut);

}  // namespace ringcast::detail
