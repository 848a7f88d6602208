#pragma once

#include <optional>

#include "topology/nccl/nccl_tuner.hpp"

namespace ringcast::detail {

/// The program that RCCL prefers to its tuner's choice, on eight MI300X of a node with one process
/// each: each rank sums a shard and sends it to all others, in two hops of the protocol LL. It is a
/// `parameter-server` on all ranks. Absent if no program applies.
///
/// The sizes are those of allreduce-allpairs-8n-ll-32tb-op.xml and -64tb-op.xml in
/// tools/msccl-algorithms of ROCm/rccl: to 64 KiB in 256 pieces of whole elements, to 524287 B in
/// 512. Each element is taken as 4 bytes. RCCL's docs/how-to/rccl-usage-tips.rst names the GPUs and
/// the processes.
[[nodiscard]] std::optional<NcclChoice> rccl_program(const NcclMachine& machine,
                                                     const TransportProfile& profile, Bytes size);

}  // namespace ringcast::detail
