#pragma once

#include "app/config/yaml/input_node.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// Reads the map of a transport file, or of a scenario's own `transport`.
[[nodiscard]] TransportProfile read_transport(const InputNode& node);

}  // namespace ringcast
