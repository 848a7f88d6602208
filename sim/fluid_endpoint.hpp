#pragma once

#include "engine/contracts/composed_accumulate.hpp"
#include "engine/contracts/endpoint.hpp"
#include "engine/reference/host_memory.hpp"
#include "sim/blocked_ranks.hpp"
#include "sim/fluid_simulation.hpp"
#include "sim/sim_processor.hpp"

namespace ringcast {

/// What the parts of one rank of a FluidSimulation share. `data` is null where only sizes travel.
struct FluidRank {
  FluidSimulation& simulation;
  const FluidJob& job;
  const TransferPaths& paths;
  std::size_t index;  // among the job's ranks
  ReductionCost reduction_cost;
  HostMemory* data;
  SimProcessor& processor;
  BlockedRanks& blocked;

  [[nodiscard]] Rank rank() const { return job.ranks[index]; }
};

/// Reductions that follow a receive take time on the rank alone: it waits for each at once.
class FluidReducer final : public Reducer {
 public:
  FluidReducer(FluidRank self, Reduction reduction) : self_{self}, reduction_{reduction} {}
  [[nodiscard]] Reduction reduction() const override { return reduction_; }
  Pending accumulate(Slice into, Slice from) override;
  Pending finish(Slice into, int ranks) override;

 private:
  class Execution;
  [[nodiscard]] Pending reduce(Seconds duration);

  FluidRank self_;
  Reduction reduction_;
};

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
    return self_.data == nullptr ? self_.simulation.repeats(self_.index, rounds) : 0;
  }

 private:
  class SendOperation;
  class RecvOperation;
  [[nodiscard]] int stream(Rank from, Rank to, Tag tag);

  FluidRank self_;
  Reduction reduction_;
  ComposedAccumulate composed_;
  // The streams that this rank has used last: a ring asks for the same two each time.
  struct Known {
    StreamKey key;
    int stream;
  };
  std::vector<Known> known_;
};

}  // namespace ringcast
