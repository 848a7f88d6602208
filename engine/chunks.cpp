#include "engine/chunks.hpp"

#include <algorithm>

#include "engine/error.hpp"

namespace ringcast {

Chunks::Chunks(ElementRange whole, int parts)
    : first_{whole.first}, parts_{parts}, base_{0}, longer_{0} {
  expect(parts > 0, "cannot cut {} elements into {} parts", whole.count, parts);
  base_ = whole.count / static_cast<std::uint64_t>(parts);
  longer_ = whole.count % static_cast<std::uint64_t>(parts);
}

ElementRange Chunks::operator[](int part) const {
  const auto i = static_cast<std::uint64_t>(((part % parts_) + parts_) % parts_);
  return {first_ + i * base_ + std::min(i, longer_), base_ + (i < longer_ ? 1U : 0U)};
}

Slice slice_of(BufferId buffer, ElementRange range, Bytes element_size) {
  return {buffer, range.first * element_size, range.count * element_size};
}

}  // namespace ringcast
