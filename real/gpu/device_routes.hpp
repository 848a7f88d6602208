#pragma once

#include <string>
#include <vector>

#include "real/gpu/device_options.hpp"
#include "real/gpu/wire.hpp"

namespace ringcast {

/// The path of messages from this rank to another.
struct DeviceRoute {
  MessagePath path = MessagePath::staged;
  /// Why the requested path is not possible; empty if it is.
  std::string refusal{};
};

/// Collective. Finds the routes to all ranks; each rank tries to open the memory of the others.
[[nodiscard]] std::vector<DeviceRoute> find_routes(Wire& wire, Device& device, DevicePath wanted);

}  // namespace ringcast
