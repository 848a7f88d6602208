#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// Identifies a buffer of one rank.
enum class BufferId : int {};

/// A byte range of a buffer. The engine cuts and passes slices; only a backend can access the
/// bytes, which may be in host memory, in a GPU's memory, or not exist.
struct Slice {
  BufferId buffer{};
  Bytes offset;
  Bytes length;

  friend bool operator==(const Slice&, const Slice&) = default;
};

/// The buffers of one rank: host vectors, device memory, or sizes only (a simulated rank).
///
/// - Allocation: a new buffer is zero-filled and lives until the rank's program ends.
/// - Scratch: scratch() returns the buffer of its last call again, with its contents, if that is
///   large enough: a collective that runs many times allocates once. One collective at a time uses
///   it.
/// - Data: read() returns what write() put into a slice, as long as nothing else wrote there.
/// - Sizes only: if holds_data() is false, read() and write() throw ContractViolation.
/// - Bounds: a slice past the end of its buffer throws ContractViolation.
class Memory {
 public:
  virtual ~Memory() = default;
  [[nodiscard]] virtual BufferId allocate(Bytes size) = 0;
  [[nodiscard]] BufferId scratch(Bytes size) {
    if (!scratch_ || scratch_size_ < size) {
      scratch_ = allocate(size);
      scratch_size_ = size;
    }
    return *scratch_;
  }
  [[nodiscard]] virtual bool holds_data() const = 0;
  /// Copies host bytes into the slice, and back: for inputs and checks, not for messages.
  virtual void write(Slice to, std::span<const std::byte> bytes) = 0;
  virtual void read(Slice from, std::span<std::byte> bytes) const = 0;

 private:
  std::optional<BufferId> scratch_;
  Bytes scratch_size_;
};

}  // namespace ringcast
