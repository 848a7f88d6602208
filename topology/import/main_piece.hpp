#pragma once

#include <vector>

#include "topology/import/ib_network.hpp"

namespace ringcast {

/// For each node of a network, whether it is in the connected piece that most adapters are in.
[[nodiscard]] std::vector<bool> in_main_piece(const IbNetwork& network);

}  // namespace ringcast
