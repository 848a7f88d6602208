#pragma once

#include <vector>

#include "engine/contracts/endpoint.hpp"
#include "engine/contracts/reducer.hpp"

namespace ringcast {

/// Endpoint::recv_accumulate() for backends that cannot reduce while they receive.
///
/// - Data: start() posts a recv() into scratch; wait() then calls accumulate() from there.
/// - Scratch: reused after wait(); the scratch of a cancelled operation is not.
class ComposedAccumulate {
 public:
  ComposedAccumulate(Endpoint& network, Memory& memory, Reducer& reducer)
      : network_{&network}, memory_{&memory}, reducer_{&reducer} {}
  [[nodiscard]] Pending start(Rank from, Slice into, Tag tag);

 private:
  class Operation;
  struct Scratch {
    BufferId buffer;
    Bytes size;
  };
  [[nodiscard]] Scratch take_scratch(Bytes size);

  Endpoint* network_;
  Memory* memory_;
  Reducer* reducer_;
  std::vector<Scratch> free_;
};

}  // namespace ringcast
