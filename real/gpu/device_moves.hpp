#pragma once

#include <vector>

#include "real/gpu/device_options.hpp"
#include "real/gpu/pipeline.hpp"
#include "real/gpu/wire.hpp"

namespace ringcast {

/// The resources that the transfers of one rank share.
struct MoveTools {
  Wire* wire;
  Staging* staging;
  Reduction reduction;
  ReduceOn reduce_on;
};

/// One side of a message whose bytes are sent over the wire.
struct WireMessage {
  Rank peer;
  std::int64_t id;
  MessagePath path;
  Bytes length;
};

/// Sends from device memory.
[[nodiscard]] Pipeline send_pipeline(const MoveTools& tools, const WireMessage& message,
                                     const std::byte* source, DeviceStream& stream);
/// Receives into device memory.
[[nodiscard]] Pipeline receive_pipeline(const MoveTools& tools, const WireMessage& message,
                                        std::byte* destination, DeviceStream& stream);
/// Receives, and accumulates into device memory.
[[nodiscard]] Pipeline receive_accumulate_pipeline(const MoveTools& tools,
                                                   const WireMessage& message, std::byte* into,
                                                   DeviceStream& stream);
/// Copy and accumulate from memory that the device can access.
[[nodiscard]] Pipeline copy_pipeline(const MoveTools& tools, std::byte* destination,
                                     const std::byte* source, Bytes length, DeviceStream& stream);
[[nodiscard]] Pipeline accumulate_pipeline(const MoveTools& tools, std::byte* into,
                                           const std::byte* from, Bytes length,
                                           DeviceStream& stream);

}  // namespace ringcast
