#pragma once

#include <memory>
#include <vector>

#include "engine/reference/host_memory.hpp"
#include "real/mpi/segment.hpp"

namespace ringcast {

/// The memory of a rank's buffers, kept from run to run: fresh pages cost half the speed of an
/// all-reduce of more than 16 MiB. Small buffers share a segment.
class Arena {
 public:
  explicit Arena(Sharing sharing) : sharing_{sharing} {}
  /// Zero-filled, and apart from all else in cache lines.
  [[nodiscard]] std::span<std::byte> take(Bytes size);
  /// All that was taken may be given out again.
  void take_back_all();

  /// Where an address lies, for another process. Throws ContractViolation for one that take() did
  /// not give.
  struct Place {
    const Segment* segment;
    std::uint64_t offset;
  };
  [[nodiscard]] Place place_of(const std::byte* address) const;

 private:
  struct Block {
    std::unique_ptr<Segment> segment;
    std::uint64_t used = 0;
    /// Up to here it has been in use before, and may not be zero.
    std::uint64_t stained = 0;
  };
  [[nodiscard]] Block& block_with_room(std::uint64_t size);

  Sharing sharing_;
  std::vector<Block> blocks_;
};

/// Buffers out of an arena, for one run.
class ArenaMemory final : public AddressableMemory {
 public:
  explicit ArenaMemory(Arena& arena) : arena_{&arena} {}
  ArenaMemory(const ArenaMemory&) = delete;
  ArenaMemory& operator=(const ArenaMemory&) = delete;
  ~ArenaMemory() override { arena_->take_back_all(); }
  [[nodiscard]] BufferId allocate(Bytes size) override { return add(arena_->take(size)); }

 private:
  Arena* arena_;
};

}  // namespace ringcast
