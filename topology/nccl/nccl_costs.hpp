#pragma once

#include "topology/nccl/nccl_estimate.hpp"

namespace ringcast::detail {

/// What a protocol takes on a machine: the estimate's latencies, and what machines show that the
/// estimate leaves out.
[[nodiscard]] NcclChoice nccl_costs(const NcclEstimate& estimate, const NcclMachine& machine,
                                    const TransportProfile& profile, Bytes size);

}  // namespace ringcast::detail
