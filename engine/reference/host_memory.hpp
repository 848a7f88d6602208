#pragma once

#include <deque>
#include <vector>

#include "engine/contracts/memory.hpp"
#include "engine/contracts/reducer.hpp"

namespace ringcast {

/// Buffers that the CPU reads and writes, wherever they come from. For backends: find() gives the
/// bytes behind a slice.
class AddressableMemory : public Memory {
 public:
  [[nodiscard]] bool holds_data() const final { return true; }
  void write(Slice to, std::span<const std::byte> bytes) final;
  void read(Slice from, std::span<std::byte> bytes) const final;
  [[nodiscard]] std::span<std::byte> find(Slice slice);
  [[nodiscard]] std::span<const std::byte> find(Slice slice) const;

 protected:
  /// Takes the memory of the next buffer: zero-filled, and there as long as this.
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

/// Sizes only: remembers how long each buffer is, so that bounds are still checked.
class PhantomMemory final : public Memory {
 public:
  [[nodiscard]] BufferId allocate(Bytes size) override;
  [[nodiscard]] bool holds_data() const override { return false; }
  void write(Slice to, std::span<const std::byte> bytes) override;
  void read(Slice from, std::span<std::byte> bytes) const override;
  /// Throws ContractViolation where find() of a HostMemory would.
  void check(Slice slice) const;

 private:
  std::vector<Bytes> sizes_;
};

}  // namespace ringcast
