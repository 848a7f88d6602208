#pragma once

#include <vector>

#include "topology/link_class.hpp"

namespace ringcast::detail {

/// Adds InfiniBand, Ethernet and other fabrics to a table of link classes, without the measurements
/// of the published set `left_out`.
void add_networks(std::vector<LinkClass>& table, std::string_view left_out);

}  // namespace ringcast::detail
