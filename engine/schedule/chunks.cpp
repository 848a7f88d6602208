#include "engine/schedule/chunks.hpp"

#include <algorithm>
#include <utility>

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

ChunkGroups ChunkGroups::in_sequence(std::vector<int> sequence) const {
  bool names_each = sequence.size() == static_cast<std::size_t>(groups_);
  for (int group = 0; group < groups_; ++group) {
    names_each = names_each && std::ranges::find(sequence, group) != sequence.end();
  }
  expect(names_each, "a sequence of {} groups that does not name each of {} once", sequence.size(),
         groups_);
  ChunkGroups other = *this;
  other.sequence_ = std::move(sequence);
  return other;
}

ElementRange ChunkGroups::operator[](int group) const {
  int i = ((group % groups_) + groups_) % groups_;
  if (!sequence_.empty()) {
    i = sequence_[static_cast<std::size_t>(i)];
  }
  return chunks_.between(first_chunk(i), first_chunk(i + 1));
}

int ChunkGroups::number_of(int chunk) const {
  const auto past = (static_cast<std::int64_t>(chunk) + 1) * groups_;
  return static_cast<int>((past - 1) / chunks_.count());
}

int ChunkGroups::group_of(int chunk) const {
  const int number = number_of(chunk);
  return sequence_.empty()
             ? number
             : static_cast<int>(std::ranges::find(sequence_, number) - sequence_.begin());
}

int ChunkGroups::filled() const {
  return chunks_.filled() == 0 ? 0 : number_of(chunks_.filled() - 1) + 1;
}

std::uint64_t ChunkGroups::largest() const {
  // Groups of equally many chunks are as long as their chunks are, the first longest.
  if (chunks_.count() % groups_ == 0) {
    return chunks_.between(0, first_chunk(1)).count;
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
