#pragma once

#include <vector>

#include "app/config/scenario/scenario.hpp"
#include "topology/nccl/nccl_tuner.hpp"

namespace ringcast {

// The effects of plugins for clouds' networks on NCCL's choices and messages.

/// Additional latencies over EFA by GPUDirect RDMA: of a chunk of a tree, of the flush of received
/// data, and of each of the first chunks of in-switch sums. The last is of the first two versions
/// of EFA only: two pairs of p6-b300 do not show it (errors of 3 and 7 % at 128 and 256 MiB without
/// it, 42 and 20 % with it).
struct EfaChunk {
  Seconds flush{0};
  Seconds beside{0};
  Seconds switched{0};
};

[[nodiscard]] EfaChunk efa_chunk_of(const TransportProfile& profile, const ClusterSpec& cluster,
                                    const NcclMachine& machine);

/// The profile with the protocols that a plugin for the network between nodes allows, and its
/// latencies. A user's NCCL_PROTO overrides the plugin's (platform_init() in src/platform-aws.c of
/// aws/aws-ofi-nccl warns). If the user neither names an algorithm nor excludes rings, Google's
/// settings also apply: NCCL_ALGO=Ring,Tree and NCCL_NVLS_ENABLE=0 for GPUDirect-TCPXO,
/// NCCL_ALGO=Ring for GPUDirect-TCPX.
[[nodiscard]] TransportProfile with_plugin(TransportProfile profile, const ClusterSpec& cluster,
                                           bool is_open, Seconds flush);

/// Moves the choice of the plugin's own tuner to the front, if the user sets neither NCCL_ALGO nor
/// NCCL_PROTO.
void ask_plugin(std::vector<NcclChoice>& choices, const Scenario& scenario,
                const NcclMachine& machine, Bytes size);

}  // namespace ringcast
