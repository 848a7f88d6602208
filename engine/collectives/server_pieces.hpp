#pragma once

#include "engine/collectives/fifo.hpp"
#include "engine/collectives/segments.hpp"
#include "engine/collectives/server_rounds.hpp"
#include "engine/contracts/collective.hpp"
#include "engine/schedule/chunks.hpp"
#include "engine/schedule/ring_schedule.hpp"

namespace ringcast {

/// The most segments in a block: a rank posts receives for this many at once from another.
inline constexpr int segments_in_block = 8;

/// The division of a buffer into shards, segments of a shard, and blocks of segments, equally many
/// in every shard.
struct ServerPieces {
  Chunks shards;
  int segments;
  Chunks blocks;
  BufferId data;
  Bytes element_size;

  ServerPieces(const ServerRounds& rounds, const CollectiveRequest& request, Bytes element)
      : shards{{0, request.elements}, rounds.shards()},
        segments{segment_count(shards.largest(), segment_elements(rounds.options(), element))},
        blocks{{0, static_cast<std::uint64_t>(segments)}, (segments - 1) / segments_in_block + 1},
        data{request.data},
        element_size{element} {}

  /// Calls visit(slice) for every non-empty segment of a shard in a block.
  template <typename Visit>
  void for_each(int shard, int block, const Visit& visit) const {
    if (block < 0 || block >= blocks.count()) {
      return;
    }
    const ElementRange range = blocks[block];
    for (auto i = range.first; i < range.first + range.count; ++i) {
      const ElementRange segment = Chunks{shards[shard], segments}[static_cast<int>(i)];
      if (segment.count > 0) {
        visit(slice_of(data, segment, element_size));
      }
    }
  }
};

/// A rank's messages in flight, by block.
class BlockMessages {
 public:
  void add(int block, Pending message) { in_flight_.push_back({block, std::move(message)}); }
  /// Waits for the messages of blocks up to this one.
  void wait_until(int block) {
    while (!in_flight_.empty() && in_flight_.front().block <= block) {
      in_flight_.pop_front().pending.wait();
    }
  }

 private:
  struct Message {
    int block;
    Pending pending;
  };
  Fifo<Message> in_flight_;
};

}  // namespace ringcast
