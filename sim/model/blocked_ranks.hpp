#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/contracts/endpoint.hpp"

namespace ringcast {

/// The operation that each rank is blocked on, for the message about a deadlock.
class BlockedRanks {
 public:
  struct On {
    bool sending;
    Rank peer;
    Bytes length;
    Tag tag;
    /// If there are any: the rank waits for one of these, and the members above mean nothing.
    std::span<const Pending* const> any_of = {};
  };
  explicit BlockedRanks(int ranks) : on_(static_cast<std::size_t>(ranks)) {}
  [[nodiscard]] std::optional<On>& operator[](Rank rank) {
    return on_[static_cast<std::size_t>(index_of(rank))];
  }
  /// The first few by name, the rest by number; empty if none is blocked.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::optional<On>> on_;
};

/// Records the operation that a rank is blocked on, while it is.
class BlockedHere {
 public:
  BlockedHere(BlockedRanks& blocked, Rank rank, BlockedRanks::On on) : slot_{&blocked[rank]} {
    *slot_ = on;
  }
  BlockedHere(const BlockedHere&) = delete;
  BlockedHere& operator=(const BlockedHere&) = delete;
  ~BlockedHere() { slot_->reset(); }

 private:
  std::optional<BlockedRanks::On>* slot_;
};

}  // namespace ringcast
