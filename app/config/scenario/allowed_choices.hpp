#pragma once

#include "app/config/yaml/input_node.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// Leaves the choices of some algorithms or protocols in a profile: NCCL_ALGO and NCCL_PROTO, and
/// NCCL_NVLS_ENABLE=0 with all algorithms but in-switch. `names`: a list, or one. Refuses names of
/// which the profile has no choice.
void allow_algorithms(TransportProfile& profile, const InputNode& names);
void allow_protocols(TransportProfile& profile, const InputNode& names);

}  // namespace ringcast
