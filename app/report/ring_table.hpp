#pragma once

#include <string>

#include "topology/transfer_path.hpp"

namespace ringcast {

/// The rings that NCCL's rule makes for all ranks (topology/channel_rings.hpp), and the bus
/// bandwidth that they allow: for each channel the GPUs of each node in the order of the ring,
/// nodes with the same order once.
[[nodiscard]] std::string ring_table(const TransferPaths& paths);

}  // namespace ringcast
