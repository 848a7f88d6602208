#pragma once

#include "app/config/cluster/cable_reader.hpp"

namespace ringcast {

/// What a cable of a cluster file joins.
enum class LinkUse { fabric, gpus, sockets, parts_of_node };

/// As read_cable; refuses a class of the table that joins other things. A cable with a bandwidth of
/// its own may join anything.
[[nodiscard]] CableSpec read_cable_for(LinkUse use, const InputNode& link,
                                       const NamedCables& named);

}  // namespace ringcast
