#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/reference/host_memory.hpp"
#include "real/gpu/device.hpp"

namespace ringcast {

/// The buffers of one rank on its device, allocated from blocks: CUDA IPC shares whole allocations,
/// so small buffers share a block.
class DeviceMemory final : public Memory {
 public:
  /// The location of a slice: its address here, and its offset in a block for ranks that opened it.
  struct Place {
    std::byte* address;
    std::size_t block;
    Bytes offset;
  };

  /// Allocates a first block: a later allocation may synchronize with all work of the device.
  explicit DeviceMemory(Device& device);
  [[nodiscard]] BufferId allocate(Bytes size) override;
  [[nodiscard]] bool holds_data() const override { return true; }
  void write(Slice to, std::span<const std::byte> bytes) override;
  void read(Slice from, std::span<std::byte> bytes) const override;

  [[nodiscard]] Place find(Slice slice) const;
  [[nodiscard]] const SharedHandle& handle_of(std::size_t block);

 private:
  struct Block {
    OwnedBytes memory;
    Bytes size;
    Bytes used;
    std::optional<SharedHandle> handle{};
  };
  struct Buffer {
    std::size_t block;
    Bytes offset;
  };
  void add_block(Bytes size);
  [[nodiscard]] Buffer reserve(Bytes size);

  Device* device_;
  std::vector<Block> blocks_;
  std::vector<Buffer> buffers_;
  PhantomMemory sizes_;  // checks bounds
  std::unique_ptr<DeviceStream> stream_;
};

}  // namespace ringcast
