#pragma once

#include <bit>
#include <optional>

#include "topology/nccl_tuner.hpp"

namespace ringcast::detail {

[[nodiscard]] inline int floor_log2(int number) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(number))) - 1;
}

/// The pieces that travel under a protocol: NCCL's chunks of all channels on a ring. They get
/// smaller until there are enough of them to fill the pipeline, as in calcCollChunking() in NCCL's
/// src/enqueue.cc. Absent for rings.
[[nodiscard]] std::optional<Bytes> nccl_segment(const NcclMachine& machine,
                                                const Protocol& protocol, Bytes size);

}  // namespace ringcast::detail
