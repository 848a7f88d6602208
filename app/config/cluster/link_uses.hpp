#pragma once

#include "app/config/cluster/cable_reader.hpp"

namespace ringcast {

/// The devices that a cable of a cluster file connects.
enum class LinkUse { fabric, gpus, sockets, parts_of_node };

/// As read_cable(), but refuses link classes of another use, unless the file replaces the bandwidth
/// of the class.
[[nodiscard]] CableSpec read_cable_for(LinkUse use, const InputNode& link,
                                       const NamedCables& named);

}  // namespace ringcast
