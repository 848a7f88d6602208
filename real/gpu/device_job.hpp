#pragma once

#include <vector>

#include "engine/contracts/transport.hpp"
#include "real/gpu/device_memory.hpp"
#include "real/gpu/device_options.hpp"
#include "real/gpu/device_routes.hpp"
#include "real/gpu/staging.hpp"

namespace ringcast {

/// One rank of a job on devices: runs programs on this rank's device, over a wire. The CUDA
/// transport uses a GPU and MPI, tests one thread per rank.
class DeviceJob {
 public:
  /// Collective over the wire, like run().
  DeviceJob(Wire& wire, Device& device, Reduction reduction, const DeviceOptions& options);
  void run(const RankProgram& program);

 private:
  Wire* wire_;
  Device* device_;
  Reduction reduction_;
  DeviceOptions options_;
  std::vector<DeviceRoute> routes_;
  Staging staging_;
  int runs_ = 0;
};

}  // namespace ringcast
