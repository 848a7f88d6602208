#pragma once

#include <array>

#include "app/config/yaml/input_node.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

// The choices of a transport's tuner, for transport_reader.cpp.

inline constexpr std::array every_path_kind{PathKind::nvlink, PathKind::p2p, PathKind::staged,
                                            PathKind::host_memory, PathKind::network};

/// 0 to 1 s.
[[nodiscard]] Seconds read_cost(const InputNode& node);

/// `none`, `nccl` for the newest release, `nccl-2.18`, or `rccl`.
void read_tuner(const InputNode& node, TransportProfile& profile);

/// One entry of `protocols`, without its source.
[[nodiscard]] Protocol read_protocol(const InputNode& entry);

}  // namespace ringcast
