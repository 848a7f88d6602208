#pragma once

#include "engine/contracts/composed_accumulate.hpp"
#include "engine/contracts/endpoint.hpp"
#include "sim/fluid/fluid_simulation.hpp"
#include "sim/model/blocked_ranks.hpp"
#include "sim/model/simulated_reducer.hpp"

namespace ringcast {

/// What the parts of one rank of a FluidSimulation share.
struct FluidRank {
  FluidSimulation& simulation;
  const FluidJob& job;
  const TransferPaths& paths;
  std::size_t index;  // among the job's ranks
  RankReduction reduction;
  BlockedRanks& blocked;

  [[nodiscard]] Rank rank() const { return job.ranks[index]; }
};

/// Takes so long from now on the rank alone, which waits for it at once.
[[nodiscard]] Pending execute_on(const FluidRank& self, Seconds duration);

/// The network of one rank.
class FluidEndpoint final : public Endpoint {
 public:
  FluidEndpoint(FluidRank self, Memory& memory, Reducer& reducer);
  [[nodiscard]] Rank rank() const override { return self_.rank(); }
  [[nodiscard]] int size() const override { return self_.paths.ranks(); }
  [[nodiscard]] Seconds now() const override { return self_.simulation.now(); }
  Pending send(Rank to, Slice source, Tag tag, Returns returns) override;
  Pending recv(Rank from, Slice destination, Tag tag) override;
  Pending recv_accumulate(Rank from, Slice into, Tag tag) override;
  [[nodiscard]] std::int64_t repeats(std::int64_t rounds) override {
    return self_.reduction.data == nullptr ? self_.simulation.repeats(self_.index, rounds) : 0;
  }

 private:
  class SendOperation;
  class RecvOperation;
  [[nodiscard]] int stream(Rank from, Rank to, Tag tag);

  FluidRank self_;
  ComposedAccumulate composed_;
  // The streams that this rank has used last: a ring asks for the same two each time.
  struct Known {
    StreamKey key;
    int stream;
  };
  std::vector<Known> known_;
};

}  // namespace ringcast
