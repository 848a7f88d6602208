#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "engine/numbers/element.hpp"

namespace ringcast {

/// An asynchronous operation on a device or on the network.
class InFlight {
 public:
  virtual ~InFlight() = default;
  /// Never blocks; once true, stays true. Throws TransportError if the operation failed.
  [[nodiscard]] virtual bool done() = 0;
};

/// Blocks until it is done; polls, and calls `meanwhile` between polls.
void wait_for(
    InFlight& work, const std::function<void()>& meanwhile = [] {});

/// A handle by which another rank of the same host opens an allocation (CUDA IPC).
struct SharedHandle {
  std::array<std::byte, 96> bytes{};
};

/// A queue of device work. An address may be in device memory, in opened memory of another rank, or
/// in pinned host memory; only a device may access it.
///
/// - Order: the work of one stream runs in order; streams run concurrently.
/// - Completion: a call only queues work, which is complete when a later mark() is done.
/// - End: the destructor waits for queued work.
class DeviceStream {
 public:
  virtual ~DeviceStream() = default;
  /// Copies between any two kinds of memory; the ranges do not overlap.
  virtual void copy(std::byte* to, const std::byte* from, Bytes size) = 0;
  virtual void clear(std::byte* at, Bytes size) = 0;
  /// accumulate_bytes() and finish_bytes() on device memory. The addresses are aligned to the
  /// element size.
  virtual void accumulate(Reduction reduction, std::byte* into, const std::byte* from,
                          Bytes size) = 0;
  virtual void finish(Reduction reduction, std::byte* into, Bytes size, int ranks) = 0;
  /// Keeps the stream busy for this time, or until *stop, in pinned memory, is not 0.
  virtual void spin(Seconds work, const volatile int* stop) = 0;
  /// An event: done when all work queued before it is complete.
  [[nodiscard]] virtual std::unique_ptr<InFlight> mark() = 0;
};

/// Memory that frees itself. It must not outlive its device.
using OwnedBytes = std::unique_ptr<std::byte, std::function<void(std::byte*)>>;

/// A GPU, or in tests host memory that behaves like one. Every failure is a TransportError with the
/// name of the call that failed.
class Device {
 public:
  virtual ~Device() = default;
  /// Uninitialized device memory, aligned to 256 bytes.
  [[nodiscard]] virtual OwnedBytes allocate(Bytes size) = 0;
  /// Host memory that the device can access.
  [[nodiscard]] virtual OwnedBytes allocate_pinned(Bytes size) = 0;
  [[nodiscard]] virtual std::unique_ptr<DeviceStream> make_stream() = 0;
  /// A handle for other ranks; `allocation`: a result of allocate().
  [[nodiscard]] virtual SharedHandle share(std::byte* allocation) = 0;
  /// Opens the memory of another rank of this host. Must be closed before its owner frees it.
  [[nodiscard]] virtual OwnedBytes open(const SharedHandle& handle) = 0;
};

}  // namespace ringcast
