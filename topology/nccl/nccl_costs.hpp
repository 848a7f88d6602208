#pragma once

#include "topology/nccl/nccl_estimate.hpp"

namespace ringcast::detail {

/// The costs of a protocol on a machine: the estimate's latencies and bandwidth, and the effects
/// that measurements show and the estimate omits.
[[nodiscard]] NcclChoice nccl_costs(const NcclEstimate& estimate, const NcclMachine& machine,
                                    const TransportProfile& profile, Bytes size);

}  // namespace ringcast::detail
