#pragma once

#include <string>

#include "topology/transfer_path.hpp"

namespace ringcast {

/// How the GPUs of the first node, at most most_shown of them, and one of the second reach each
/// other: a table of all pairs (from the row to the column) with the level and the bandwidth of one
/// transfer by itself, and a legend.
[[nodiscard]] std::string path_matrix(const TransferPaths& paths);

inline constexpr int most_shown = 16;

}  // namespace ringcast
