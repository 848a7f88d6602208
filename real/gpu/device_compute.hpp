#pragma once

#include <functional>

#include "engine/contracts/processor.hpp"
#include "engine/contracts/reducer.hpp"
#include "real/gpu/device_memory.hpp"
#include "real/gpu/device_moves.hpp"

namespace ringcast {

/// Reduces by kernels on the device; on the host with ReduceOn::host.
class DeviceReducer final : public Reducer {
 public:
  DeviceReducer(const MoveTools& tools, Device& device, DeviceMemory& memory)
      : tools_{tools}, memory_{&memory}, stream_{device.make_stream()} {}
  [[nodiscard]] Reduction reduction() const override { return tools_.reduction; }
  Pending accumulate(Slice into, Slice from) override;
  Pending finish(Slice into, int ranks) override;

 private:
  MoveTools tools_;
  DeviceMemory* memory_;
  std::unique_ptr<DeviceStream> stream_;
};

/// Models a computation by a kernel that runs for the given time. The kernels run one after the
/// other on a separate stream; the destructor stops them.
class DeviceProcessor final : public Processor {
 public:
  /// `meanwhile` is called during waits.
  DeviceProcessor(Device& device, std::function<void()> meanwhile);
  DeviceProcessor(const DeviceProcessor&) = delete;
  DeviceProcessor& operator=(const DeviceProcessor&) = delete;
  ~DeviceProcessor() override;
  Pending compute(Seconds work) override;

 private:
  std::function<void()> meanwhile_;
  OwnedBytes stop_;
  std::unique_ptr<DeviceStream> stream_;
};

}  // namespace ringcast
