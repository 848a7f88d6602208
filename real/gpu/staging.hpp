#pragma once

#include <cstdint>
#include <vector>

#include "real/gpu/device.hpp"

namespace ringcast {

/// Buffers of one size that are allocated once and used again: allocating pinned memory costs more
/// than copying through it. There is no limit, since two ranks that waited for each other's buffers
/// would wait for ever; how many are in use is bounded by the messages in flight.
class BufferPool {
 public:
  /// A buffer until it is destroyed. It must not outlive its pool.
  using Lease = OwnedBytes;
  using Allocate = std::function<OwnedBytes(Bytes)>;

  BufferPool(Bytes size, Allocate allocate) : size_{size}, allocate_{std::move(allocate)} {}
  [[nodiscard]] Lease take();
  /// Allocates so many, if there are fewer.
  void prepare(std::size_t buffers);

 private:
  Bytes size_;
  Allocate allocate_;
  std::vector<OwnedBytes> all_;
  std::vector<std::byte*> free_;
};

/// The bytes that kernels load at once: slices are combined fastest where both lie alike in such
/// vectors.
inline constexpr std::uint64_t vector_size = 16;

/// The buffers that a rank stages and reduces through.
struct Staging {
  Staging(Device& device, Bytes segment);

  Bytes segment;
  BufferPool pinned;
  /// A little longer than a segment, so that a piece can lie aligned as its destination does.
  BufferPool scratch;
};

}  // namespace ringcast
