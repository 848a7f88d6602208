#include "engine/schedule/chunks.hpp"

#include <algorithm>

#include "engine/numbers/error.hpp"

namespace ringcast {

Chunks::Chunks(ElementRange whole, int parts)
    : first_{whole.first}, parts_{parts}, base_{0}, longer_{0} {
  expect(parts > 0, "cannot cut {} elements into {} parts", whole.count, parts);
  base_ = whole.count / static_cast<std::uint64_t>(parts);
  longer_ = whole.count % static_cast<std::uint64_t>(parts);
}

ElementRange Chunks::operator[](int part) const {
  const int i = ((part % parts_) + parts_) % parts_;
  return between(i, i + 1);
}

ElementRange Chunks::between(int begin, int end) const {
  const auto first_of = [this](int part) {
    const auto before = static_cast<std::uint64_t>(part);
    return first_ + before * base_ + std::min(before, longer_);
  };
  return {first_of(begin), first_of(end) - first_of(begin)};
}

ChunkGroups::ChunkGroups(Chunks chunks, int groups) : chunks_{chunks}, groups_{groups} {
  expect(groups > 0 && groups <= chunks.count(), "cannot join {} chunks into {} groups",
         chunks.count(), groups);
}

ElementRange ChunkGroups::operator[](int group) const {
  const int i = ((group % groups_) + groups_) % groups_;
  return chunks_.between(first_chunk(i), first_chunk(i + 1));
}

int ChunkGroups::group_of(int chunk) const {
  const auto past = (static_cast<std::int64_t>(chunk) + 1) * groups_;
  return static_cast<int>((past - 1) / chunks_.count());
}

std::uint64_t ChunkGroups::largest() const {
  // Groups of equally many chunks are as long as their chunks are, the first longest.
  if (chunks_.count() % groups_ == 0) {
    return (*this)[0].count;
  }
  std::uint64_t most = 0;
  for (int group = 0; group < groups_; ++group) {
    most = std::max(most, (*this)[group].count);
  }
  return most;
}

int ChunkGroups::first_chunk(int group) const {
  return static_cast<int>(static_cast<std::int64_t>(group) * chunks_.count() / groups_);
}

Slice slice_of(BufferId buffer, ElementRange range, Bytes element_size) {
  return {buffer, range.first * element_size, range.count * element_size};
}

}  // namespace ringcast
