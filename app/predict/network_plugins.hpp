#pragma once

#include <vector>

#include "app/config/scenario/scenario.hpp"
#include "topology/nccl/nccl_tuner.hpp"

namespace ringcast {

// What the plugins for clouds' networks do to NCCL's choice and to its messages.

/// EFA by GPUDirect RDMA: what a chunk of a tree waits for, or the flush of what arrived, and what
/// each of the first chunks of in-switch sums waits for, over the first two versions of EFA only:
/// two pairs of p6-b300 show nothing of it (3 and 7 % off at 128 and 256 MiB, 42 and 20 % with it).
struct EfaChunk {
  Seconds flush{0};
  Seconds beside{0};
  Seconds switched{0};
};

[[nodiscard]] EfaChunk efa_chunk_of(const TransportProfile& profile, const ClusterSpec& cluster,
                                    const NcclMachine& machine);

/// The protocols that a plugin for the network between nodes allows, with what it adds; a user's
/// NCCL_PROTO comes before the plugin's (platform_init() in src/platform-aws.c of aws/aws-ofi-nccl
/// warns). Where the user names no algorithm, nor leaves out rings, Google's settings for
/// GPUDirect-TCPXO contain NCCL_ALGO=Ring,Tree and NCCL_NVLS_ENABLE=0, too, those for
/// GPUDirect-TCPX NCCL_ALGO=Ring.
[[nodiscard]] TransportProfile with_plugin(TransportProfile profile, const ClusterSpec& cluster,
                                           bool is_open, Seconds flush);

/// Puts first what the plugin's own tuner takes, if nothing is set by hand (NCCL_ALGO, NCCL_PROTO).
void ask_plugin(std::vector<NcclChoice>& choices, const Scenario& scenario,
                const NcclMachine& machine, Bytes size);

}  // namespace ringcast
