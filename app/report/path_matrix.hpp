#pragma once

#include <string>

#include "topology/transfer_path.hpp"

namespace ringcast {

/// A table of the paths between the GPUs of the first node, at most most_shown of them, and one of
/// the second (from the row to the column): the level and the bandwidth of one transfer by itself.
/// Ends with a legend.
[[nodiscard]] std::string path_matrix(const TransferPaths& paths);

inline constexpr int most_shown = 16;

}  // namespace ringcast
