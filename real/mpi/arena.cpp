#include "real/mpi/arena.hpp"

#include <algorithm>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

constexpr std::uint64_t cache_line = 64;
/// A buffer of this size or more has its own segment.
constexpr std::uint64_t smallest_segment = 1U << 20U;
constexpr std::uint64_t page = 4096;

std::uint64_t round_up(std::uint64_t size, std::uint64_t unit) {
  return (size + unit - 1) / unit * unit;
}

}  // namespace

std::span<std::byte> Arena::take(Bytes size) {
  const std::uint64_t room = round_up(std::max(size.count(), std::uint64_t{1}), cache_line);
  Block& block = block_with_room(room);
  const std::span<std::byte> taken = block.segment->bytes().subspan(block.used, size.count());
  if (block.used < block.dirty) {
    std::fill(taken.begin(), taken.end(), std::byte{0});  // memset, unlike std::ranges::fill
  }
  block.used += room;
  block.dirty = std::max(block.dirty, block.used);
  return taken;
}

void Arena::take_back_all() {
  for (Block& block : blocks_) {
    block.used = 0;
  }
}

Arena::Place Arena::place_of(const std::byte* address) const {
  for (const Block& block : blocks_) {
    const std::span<const std::byte> bytes = block.segment->bytes();
    if (address >= bytes.data() && address < bytes.data() + bytes.size()) {
      return {block.segment.get(), static_cast<std::uint64_t>(address - bytes.data())};
    }
  }
  expect(false, "an address outside the arena");
  return {};
}

Arena::Block& Arena::block_with_room(std::uint64_t size) {
  Block* const found = smallest_with_room(size);
  if (found != nullptr && found->has_pages) {
    return *found;
  }
  discard_unused();
  if (found != nullptr) {
    found->segment->restore();
    found->has_pages = true;
    return *found;
  }
  const Bytes fresh{round_up(std::max(size, smallest_segment), page)};
  return blocks_.emplace_back(Block{std::make_unique<Segment>(fresh, sharing_)});
}

/// Null if there is none. A large free block is not divided for small buffers.
Arena::Block* Arena::smallest_with_room(std::uint64_t size) {
  Block* best = nullptr;
  for (Block& block : blocks_) {
    const std::uint64_t whole = block.segment->bytes().size();
    const bool suits = whole <= std::max(2 * size, smallest_segment);
    if (suits && size <= whole - block.used &&
        (best == nullptr || whole < best->segment->bytes().size())) {
      best = &block;
    }
  }
  return best;
}

void Arena::discard_unused() {
  for (Block& block : blocks_) {
    if (block.used == 0 && block.has_pages) {
      block.segment->discard();
      block.dirty = 0;
      block.has_pages = false;
    }
  }
}

}  // namespace ringcast
