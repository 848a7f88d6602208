#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/contracts/endpoint.hpp"
#include "engine/numbers/flat_numbers.hpp"
#include "sim/fluid/fluid_flows.hpp"
#include "sim/model/message_stream.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

struct StreamKeyHash {
  std::size_t operator()(const StreamKey& key) const {
    // Splitmix64's multipliers (Steele, Lea and Flood 2014), over 28 bits of each.
    std::uint64_t h = static_cast<std::uint64_t>(index_of(key.from)) * 0xBF58476D1CE4E5B9U;
    h = (h ^ (h >> 29U) ^ static_cast<std::uint64_t>(index_of(key.to))) * 0x94D049BB133111EBU;
    h = (h ^ (h >> 32U) ^ static_cast<std::uint64_t>(key.tag)) * 0xBF58476D1CE4E5B9U;
    return static_cast<std::size_t>(h ^ (h >> 31U));
  }
};
using StreamNumbers = FlatNumbers<StreamKey, StreamKeyHash>;

/// What a FluidTransport runs: the ranks of a job that stand for all, each for a class of ranks,
/// and the streams and links that stand for theirs (folding.hpp). Without folding each stands for
/// itself.
struct FluidJob {
  struct Stream {
    int from;  // among `ranks`
    int to;
    const TransferPath* path;
    Seconds delay{0};  // of each message, beside what the path costs
  };
  std::vector<Rank> ranks;
  std::vector<Stream> streams;
  /// Every stream that one of `ranks` is an end of: the number of its class's stream.
  StreamNumbers stream_of;
  std::vector<BytesPerSecond> bandwidths;
  /// The routes of the streams, then those of the copies that each of `ranks` makes by itself.
  std::vector<FlowRoute> routes;
  /// By rank and direction: the number of its copies' route, if it makes any.
  std::vector<std::map<CopyDirection, int>> copies;
};

}  // namespace ringcast
