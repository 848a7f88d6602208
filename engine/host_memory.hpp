#pragma once

#include <deque>
#include <vector>

#include "engine/memory.hpp"
#include "engine/reducer.hpp"

namespace ringcast {

/// Buffers as host vectors. For backends: find() gives the bytes behind a slice.
class HostMemory final : public Memory {
 public:
  [[nodiscard]] BufferId allocate(Bytes size) override;
  [[nodiscard]] bool holds_data() const override { return true; }
  void write(Slice to, std::span<const std::byte> bytes) override;
  void read(Slice from, std::span<std::byte> bytes) const override;
  [[nodiscard]] std::span<std::byte> find(Slice slice);
  [[nodiscard]] std::span<const std::byte> find(Slice slice) const;

 private:
  std::deque<std::vector<std::byte>> buffers_;
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
