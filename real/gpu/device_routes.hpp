#pragma once

#include <string>
#include <vector>

#include "real/gpu/device_options.hpp"
#include "real/gpu/wire.hpp"

namespace ringcast {

/// How messages go from this rank to another.
struct DeviceRoute {
  MessagePath path = MessagePath::staged;
  /// Why they can not go as was asked for; empty where they can.
  std::string refusal{};
};

/// Collective. The routes to all ranks, by trying whether they can open this rank's memory.
[[nodiscard]] std::vector<DeviceRoute> find_routes(Wire& wire, Device& device, DevicePath wanted);

}  // namespace ringcast
