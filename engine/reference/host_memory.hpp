#pragma once

#include <deque>
#include <vector>

#include "engine/contracts/memory.hpp"
#include "engine/contracts/reducer.hpp"

namespace ringcast {

/// Buffers that the CPU can access, however they are allocated. Backends access the bytes of a
/// slice by find().
class AddressableMemory : public Memory {
 public:
  [[nodiscard]] bool holds_data() const final { return true; }
  void write(Slice to, std::span<const std::byte> bytes) final;
  void read(Slice from, std::span<std::byte> bytes) const final;
  [[nodiscard]] std::span<std::byte> find(Slice slice);
  [[nodiscard]] std::span<const std::byte> find(Slice slice) const;

 protected:
  /// Adds a zero-filled buffer, which must outlive this object.
  BufferId add(std::span<std::byte> buffer);

 private:
  std::vector<std::span<std::byte>> buffers_;
};

/// Buffers as host vectors.
class HostMemory final : public AddressableMemory {
 public:
  [[nodiscard]] BufferId allocate(Bytes size) override;

 private:
  std::deque<std::vector<std::byte>> owned_;
};

/// Buffers without bytes: only their sizes, to check bounds.
class PhantomMemory final : public Memory {
 public:
  [[nodiscard]] BufferId allocate(Bytes size) override;
  [[nodiscard]] bool holds_data() const override { return false; }
  void write(Slice to, std::span<const std::byte> bytes) override;
  void read(Slice from, std::span<std::byte> bytes) const override;
  /// Throws ContractViolation for a slice outside its buffer, as HostMemory::find() does.
  void check(Slice slice) const;

 private:
  std::vector<Bytes> sizes_;
};

}  // namespace ringcast
