#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "engine/numbers/element.hpp"

namespace ringcast {

/// Something that ends by itself, on a device or on the network.
class InFlight {
 public:
  virtual ~InFlight() = default;
  /// Never blocks. Once true, it stays so. Throws TransportError where the work failed.
  [[nodiscard]] virtual bool done() = 0;
};

/// Blocks until it is done; `meanwhile` is called between looks.
void wait_for(
    InFlight& work, const std::function<void()>& meanwhile = [] {});

/// By which another rank of the same host opens an allocation.
struct SharedHandle {
  std::array<std::byte, 96> bytes{};
};

/// A queue of device work. An address may be device memory, memory of another rank that was
/// opened, or pinned host memory; only a device can tell what lies at it.
///
/// - Order: the work of one stream runs in order; streams run beside each other.
/// - Completion: a call only queues. Work is complete when a later mark() says done.
/// - End: the destructor waits for what was queued.
class DeviceStream {
 public:
  virtual ~DeviceStream() = default;
  /// Any two kinds of memory; `size` bytes that do not overlap.
  virtual void copy(std::byte* to, const std::byte* from, Bytes size) = 0;
  virtual void clear(std::byte* at, Bytes size) = 0;
  /// accumulate_bytes() and finish_bytes() on device memory. Both sides are aligned to
  /// the element size.
  virtual void accumulate(Reduction reduction, std::byte* into, const std::byte* from,
                          Bytes size) = 0;
  virtual void finish(Reduction reduction, std::byte* into, Bytes size, int ranks) = 0;
  /// Keeps the stream busy for this time, or until *stop, which is pinned memory, is not 0.
  virtual void spin(Seconds work, const volatile int* stop) = 0;
  /// Done when all is complete that was queued before.
  [[nodiscard]] virtual std::unique_ptr<InFlight> mark() = 0;
};

/// Memory that gives itself back. It must not outlive its device.
using OwnedBytes = std::unique_ptr<std::byte, std::function<void(std::byte*)>>;

/// A GPU, or in tests host memory that behaves like one. Every failure is a TransportError that
/// names the call that failed.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// Device memory with any contents, at a multiple of 256 bytes.
  [[nodiscard]] virtual OwnedBytes allocate(Bytes size) = 0;
  /// Host memory that the device reaches.
  [[nodiscard]] virtual OwnedBytes allocate_pinned(Bytes size) = 0;
  [[nodiscard]] virtual std::unique_ptr<DeviceStream> make_stream() = 0;
  /// `allocation` is what allocate() returned.
  [[nodiscard]] virtual SharedHandle share(std::byte* allocation) = 0;
  /// The memory of another rank of this host. To be closed before its owner frees it.
  [[nodiscard]] virtual OwnedBytes open(const SharedHandle& handle) = 0;
};

}  // namespace ringcast
