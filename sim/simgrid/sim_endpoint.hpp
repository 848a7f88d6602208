#pragma once

#include <cstdint>
#include <vector>

#include "engine/contracts/composed_accumulate.hpp"
#include "engine/contracts/endpoint.hpp"
#include "sim/model/blocked_ranks.hpp"
#include "sim/model/simulated_reducer.hpp"
#include "sim/simgrid/streams.hpp"

namespace ringcast {

/// Shared by all endpoints of a simulation.
struct SimShared {
  Platform& platform;
  Streams& streams;
  BlockedRanks& blocked;
  RankClocks& clocks;
  int gpus;  // the first of the ranks
  [[nodiscard]] ReductionCost reduction_cost(Rank rank) const {
    return {profile(), index_of(rank) < gpus};
  }
  /// Blocks `rank`, which is `on` this operation, until its side of the message is done.
  void wait(MessageSide& side, Rank rank, const BlockedRanks::On& on);
  [[nodiscard]] const TransferPaths& paths() const { return platform.paths(); }
  [[nodiscard]] const TransportProfile& profile() const { return paths().profile(); }
};

/// The network of one simulated rank.
class SimEndpoint final : public Endpoint {
 public:
  SimEndpoint(SimShared shared, Rank rank, RankReduction reduction, Memory& memory,
              Reducer& reducer);
  [[nodiscard]] Rank rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return shared_.platform.ranks(); }
  [[nodiscard]] Seconds now() const override { return shared_.clocks.now(); }
  Pending send(Rank to, Slice source, Tag tag, Returns returns) override;
  Pending recv(Rank from, Slice destination, Tag tag) override;
  Pending recv_accumulate(Rank from, Slice into, Tag tag) override;

 private:
  class SendOperation;
  class RecvOperation;
  /// The streams that this rank has used, sorted by peer and tag: a ring asks for the same two each
  /// time.
  struct KnownStream {
    std::uint64_t key;
    Stream* stream;
  };
  using KnownStreams = std::vector<KnownStream>;
  /// The stream from or to `peer`, whichever `known` is about.
  [[nodiscard]] Stream& stream(KnownStreams& known, Rank peer, Tag tag);
  [[nodiscard]] Pending receive(Rank from, Slice into, Tag tag, bool accumulating);

  SimShared shared_;
  Rank rank_;
  RankReduction reduction_;
  KnownStreams outgoing_;
  KnownStreams incoming_;
  ComposedAccumulate composed_;
};

}  // namespace ringcast
