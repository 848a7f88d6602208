#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/contracts/endpoint.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// One message that was delivered. Its bytes were on the wire from `begin` to `end`.
struct DeliveredMessage {
  Rank from;
  Rank to;
  Tag tag;
  Bytes length;
  Seconds begin;
  Seconds end;
};

/// The traffic from one rank to another.
struct PairTraffic {
  Rank from;
  Rank to;
  std::uint64_t messages = 0;
  Bytes bytes;
  /// Bytes that the cables carried for these messages.
  Bytes on_cables;
  int streams = 0;  // tags
};

/// The result of a simulated run.
struct SimReport {
  Seconds time{0};  // until the last rank ended
  std::vector<PairTraffic> traffic;
  std::vector<DeliveredMessage> messages;  // in order of delivery; only if recorded
  /// Bytes that each of the first `copying_ranks` ranks, the GPUs, copied before and after the
  /// collective (BufferPlace::host_copies).
  int copying_ranks = 0;
  std::map<CopyDirection, Bytes> copied;
};

}  // namespace ringcast
