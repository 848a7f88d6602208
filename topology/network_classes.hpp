#pragma once

#include <vector>

#include "topology/link_class.hpp"

namespace ringcast::detail {

/// Adds InfiniBand, Ethernet and other fabrics to the table of link_classes().
void add_networks(std::vector<LinkClass>& table);

}  // namespace ringcast::detail
