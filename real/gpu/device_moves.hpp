#pragma once

#include <vector>

#include "real/gpu/device_options.hpp"
#include "real/gpu/pipeline.hpp"
#include "real/gpu/wire.hpp"

namespace ringcast {

/// The resources that the moves of one rank share.
struct MoveTools {
  Wire* wire;
  Staging* staging;
  Reduction reduction;
  ReduceOn reduce_on;
};

/// One side of a message whose bytes go through the wire.
struct WireMessage {
  Rank peer;
  std::int64_t id;
  MessagePath path;
  Bytes length;
};

/// From device memory to a rank that receives it.
[[nodiscard]] Pipeline send_pipeline(const MoveTools& tools, const WireMessage& message,
                                     const std::byte* source, DeviceStream& stream);
/// From a rank that sends it into device memory.
[[nodiscard]] Pipeline receive_pipeline(const MoveTools& tools, const WireMessage& message,
                                        std::byte* destination, DeviceStream& stream);
/// Received and combined.
[[nodiscard]] Pipeline receive_accumulate_pipeline(const MoveTools& tools,
                                                   const WireMessage& message, std::byte* into,
                                                   DeviceStream& stream);
/// From memory that the device reaches.
[[nodiscard]] Pipeline copy_pipeline(const MoveTools& tools, std::byte* destination,
                                     const std::byte* source, Bytes length, DeviceStream& stream);
[[nodiscard]] Pipeline accumulate_pipeline(const MoveTools& tools, std::byte* into,
                                           const std::byte* from, Bytes length,
                                           DeviceStream& stream);

}  // namespace ringcast
