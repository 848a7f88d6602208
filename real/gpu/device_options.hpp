#pragma once

#include <functional>
#include <string>

#include "engine/numbers/enum_names.hpp"
#include "engine/numbers/units.hpp"

namespace ringcast {

/// The path of messages between devices. `automatic`: for each pair of ranks the first of the
/// others that works.
/// - ipc: the receiver copies or reduces from the sender's memory; one host only.
/// - cuda_aware: MPI sends from and receives into device memory.
/// - staged: through pinned host memory on both sides, in pipelined segments.
enum class DevicePath { automatic, ipc, cuda_aware, staged };
inline constexpr EnumNames<4> device_path_names{"auto", "ipc", "cuda-aware", "staged"};
/// Where reductions run. `host` is for comparison.
enum class ReduceOn { device, host };
inline constexpr EnumNames<2> reduce_on_names{"device", "host"};

struct DeviceOptions {
  /// The number of ranks, the first of the world; on the others run() returns at once. Zero: all.
  int ranks = 0;
  DevicePath path = DevicePath::automatic;
  ReduceOn reduce_on = ReduceOn::device;
  /// A run without progress for this time fails.
  Seconds timeout{60};
  /// The size of the pieces that are staged or sent by MPI, a multiple of 8, the largest element.
  /// The default is NCCL's: its buffer of 4 MiB (NCCL_BUFFSIZE) has 8 steps.
  Bytes segment = 512_KiB;
  /// Told on rank 0: which paths `automatic` could not take.
  std::function<void(const std::string&)> remark = {};
};

}  // namespace ringcast
