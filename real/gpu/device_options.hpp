#pragma once

#include <optional>
#include <string_view>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// How messages between devices travel. `automatic`: the first of the others, in their order, that
/// works between two ranks.
/// - ipc: the receiver copies or reduces from the sender's memory; one host only.
/// - cuda_aware: MPI takes device memory.
/// - staged: through pinned host memory on both sides, in segments that overlap.
enum class DevicePath { automatic, ipc, cuda_aware, staged };
/// Where reductions run. `host` exists to measure what the device saves.
enum class ReduceOn { device, host };

/// The names that options use: `auto`, `ipc`, `cuda-aware`, `staged`; `device`, `host`.
[[nodiscard]] std::optional<DevicePath> device_path_named(std::string_view name);
[[nodiscard]] std::optional<ReduceOn> reduce_on_named(std::string_view name);

struct DeviceOptions {
  /// The number of ranks, the first of the world; on the others run() returns at once. Zero: all.
  int ranks = 0;
  DevicePath path = DevicePath::automatic;
  ReduceOn reduce_on = ReduceOn::device;
  /// A run without any progress for this time is broken.
  Seconds timeout{60};
  /// The size of a staged piece, or one sent by MPI. The default is NCCL's: its buffer of 4 MiB
  /// (NCCL_BUFFSIZE) has 8 steps. A multiple of 8, the largest element.
  Bytes segment = 512_KiB;
};

}  // namespace ringcast
