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
    // The multipliers of splitmix64 (Steele, Lea and Flood 2014).
    std::uint64_t h = static_cast<std::uint64_t>(index_of(key.from)) * 0xBF58476D1CE4E5B9U;
    h = (h ^ (h >> 29U) ^ static_cast<std::uint64_t>(index_of(key.to))) * 0x94D049BB133111EBU;
    h = (h ^ (h >> 32U) ^ static_cast<std::uint64_t>(key.tag)) * 0xBF58476D1CE4E5B9U;
    return static_cast<std::size_t>(h ^ (h >> 31U));
  }
};
using StreamNumbers = FlatNumbers<StreamKey, StreamKeyHash>;

/// The input of a FluidTransport: representatives of the classes of ranks, streams and links of a
/// job (folding.hpp). Without folding, each rank, stream and link is a class of its own.
struct FluidJob {
  struct Stream {
    int from;  // among `ranks`
    int to;
    const TransferPath* path;
    Seconds delay{0};  // of each message, in addition to the cost of the path
  };
  std::vector<Rank> ranks;
  std::vector<Stream> streams;
  /// The number in `streams` of the class of every stream that begins or ends at one of `ranks`.
  StreamNumbers stream_of;
  std::vector<BytesPerSecond> bandwidths;
  /// The routes of the streams, then those of the local copies of `ranks`.
  std::vector<FlowRoute> routes;
  /// By rank and direction: the number of the route of its local copies, if it makes any.
  std::vector<std::map<CopyDirection, int>> copies;
};

}  // namespace ringcast
