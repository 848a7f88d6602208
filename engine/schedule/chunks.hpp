#pragma once

#include <cstdint>
#include <vector>

#include "engine/contracts/memory.hpp"

namespace ringcast {

/// A run of consecutive elements.
struct ElementRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;

  friend bool operator==(const ElementRange&, const ElementRange&) = default;
};

/// Cuts a range of elements into `parts` consecutive parts whose lengths differ by at most one, the
/// longer ones first. Serves channels (parts of a buffer), chunks (of a channel) and segments (of a
/// chunk). Throws ContractViolation unless parts > 0.
class Chunks {
 public:
  Chunks(ElementRange whole, int parts);
  /// `part` is taken modulo the number of parts, for ring arithmetic.
  [[nodiscard]] ElementRange operator[](int part) const;
  /// The parts from `begin` up to but not `end`, joined: 0 <= begin <= end <= count().
  [[nodiscard]] ElementRange between(int begin, int end) const;
  [[nodiscard]] std::uint64_t largest() const { return base_ + (longer_ > 0 ? 1U : 0U); }
  [[nodiscard]] int count() const { return parts_; }
  /// The parts that have elements, which are the first ones.
  [[nodiscard]] int filled() const { return base_ > 0 ? parts_ : static_cast<int>(longer_); }
  [[nodiscard]] bool are_equal() const { return longer_ == 0; }

 private:
  std::uint64_t first_;
  int parts_;
  std::uint64_t base_;
  std::uint64_t longer_;
};

/// n chunks joined into groups of consecutive chunks, whose sizes differ by at most one chunk:
/// group g begins with chunk g n / groups, rounded down. With n groups they are the chunks
/// themselves. Throws ContractViolation unless 0 < groups <= chunks.count().
class ChunkGroups {
 public:
  ChunkGroups(Chunks chunks, int groups);
  /// The same groups, renumbered: group i of the result is group sequence[i] of this. Throws
  /// ContractViolation unless `sequence` is a permutation of all groups.
  [[nodiscard]] ChunkGroups in_sequence(std::vector<int> sequence) const;
  /// `group` is taken modulo the number of groups.
  [[nodiscard]] ElementRange operator[](int group) const;
  /// The group that a chunk is in.
  [[nodiscard]] int group_of(int chunk) const;
  [[nodiscard]] std::uint64_t largest() const;
  [[nodiscard]] int count() const { return groups_; }
  /// The groups that have elements.
  [[nodiscard]] int filled() const;
  [[nodiscard]] bool are_renumbered() const { return !sequence_.empty(); }
  [[nodiscard]] bool are_equal() const {
    return chunks_.are_equal() && chunks_.count() % groups_ == 0;
  }

 private:
  [[nodiscard]] int first_chunk(int group) const;
  [[nodiscard]] int number_of(int chunk) const;

  Chunks chunks_;
  int groups_;
  std::vector<int> sequence_;  // empty: not renumbered
};

/// The bytes of a range of elements.
[[nodiscard]] Slice slice_of(BufferId buffer, ElementRange range, Bytes element_size);

}  // namespace ringcast
