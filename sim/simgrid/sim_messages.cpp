#include "sim/simgrid/sim_messages.hpp"

#include <algorithm>

namespace ringcast {

SimMessages::Stream SimMessages::stream(const StreamKey& key) {
  const bool outgoing = key.from == rank_;
  std::vector<KnownStream>& known = outgoing ? outgoing_ : incoming_;
  const std::uint64_t number = static_cast<std::uint64_t>(index_of(outgoing ? key.to : key.from))
                                   << 32U |
                               static_cast<std::uint32_t>(static_cast<int>(key.tag));
  auto found = std::ranges::lower_bound(known, number, {}, &KnownStream::key);
  if (found == known.end() || found->key != number) {
    found = known.insert(found, {number, &shared_.streams.between(key.from, key.to, key.tag)});
  }
  return found->stream;
}

void SimMessages::wait(MessageSide& side, const BlockedRanks::On& on) const {
  if (side.is_done) {
    return;
  }
  side.is_awaited = true;
  const BlockedHere here{shared_.blocked, rank_, on};
  while (!side.is_done) {
    shared_.platform.block();
  }
}

void SimMessages::wait_for_any(const BlockedRanks::On& on) const {
  const BlockedHere here{shared_.blocked, rank_, on};
  shared_.streams.wait_for_any(rank_);
}

}  // namespace ringcast
