#pragma once

#include <memory>
#include <vector>

#include "engine/reference/host_memory.hpp"
#include "real/mpi/segment.hpp"

namespace ringcast {

/// The memory of a rank's buffers, kept between runs: page faults on new pages halve the speed of
/// an all-reduce of more than 16 MiB. Small buffers share a segment. Before it takes further memory
/// from the host, it gives back what no buffer uses.
class Arena {
 public:
  explicit Arena(Sharing sharing) : sharing_{sharing} {}
  /// Zero-filled; shares no cache line with other data.
  [[nodiscard]] std::span<std::byte> take(Bytes size);
  /// Frees all memory taken, for reuse.
  void take_back_all();

  /// The location of an address, for another process. Throws ContractViolation for an address
  /// outside the arena.
  struct Place {
    const Segment* segment;
    std::uint64_t offset;
  };
  [[nodiscard]] Place place_of(const std::byte* address) const;

 private:
  struct Block {
    std::unique_ptr<Segment> segment;
    std::uint64_t used = 0;
    /// The bytes up to here have been in use and may not be zero.
    std::uint64_t dirty = 0;
    /// Without pages it is kept because other processes map it.
    bool has_pages = true;
  };
  [[nodiscard]] Block& block_with_room(std::uint64_t size);
  [[nodiscard]] Block* smallest_with_room(std::uint64_t size);
  void discard_unused();

  Sharing sharing_;
  std::vector<Block> blocks_;
};

/// Buffers from an arena, for one run.
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
