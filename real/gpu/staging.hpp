#pragma once

#include <cstdint>
#include <vector>

#include "real/gpu/device.hpp"

namespace ringcast {

/// A pool of buffers of one size: allocating pinned memory costs more than copying through it. It
/// has no limit, since ranks that wait for each other's buffers would deadlock; the number of
/// buffers in use is bounded by the messages in flight.
class BufferPool {
 public:
  /// A buffer, returned to the pool by its destructor. It must not outlive the pool.
  using Lease = OwnedBytes;
  using Allocate = std::function<OwnedBytes(Bytes)>;

  BufferPool(Bytes size, Allocate allocate) : size_{size}, allocate_{std::move(allocate)} {}
  [[nodiscard]] Lease take();
  /// Allocates buffers until the pool has `buffers`.
  void prepare(std::size_t buffers);

 private:
  Bytes size_;
  Allocate allocate_;
  std::vector<OwnedBytes> all_;
  std::vector<std::byte*> free_;
};

/// The bytes that a thread loads at once: slices are combined fastest if both have the same
/// alignment modulo this size.
inline constexpr std::uint64_t vector_size = 16;

/// The buffers through which a rank stages and reduces.
struct Staging {
  Staging(Device& device, Bytes segment);

  Bytes segment;
  BufferPool pinned;
  /// Longer than a segment by one vector, so that a piece can have the alignment of its
  /// destination.
  BufferPool scratch;
};

}  // namespace ringcast
