#pragma once

#include "app/config/yaml/input_node.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// Restricts a profile to the named algorithms or protocols, as NCCL_ALGO and NCCL_PROTO do, and
/// NCCL_NVLS_ENABLE=0 (all algorithms but in-switch). `names`: a list, or one name. Throws
/// ScenarioError for names that the profile does not have.
void allow_algorithms(TransportProfile& profile, const InputNode& names);
void allow_protocols(TransportProfile& profile, const InputNode& names);

}  // namespace ringcast
