#pragma once

#include <functional>
#include <vector>

#include "engine/contracts/endpoint.hpp"
#include "engine/contracts/reducer.hpp"
#include "engine/reference/host_memory.hpp"
#include "sim/model/message_cost.hpp"
#include "sim/model/sim_processor.hpp"

namespace ringcast {

/// How one simulated rank reduces. `data` is null without real data, `sizes` if the rank has
/// no slices, either.
struct RankReduction {
  Reduction reduction;
  ReductionCost cost;
  HostMemory* data;
  SimProcessor* processor;
  const PhantomMemory* sizes = nullptr;

  /// Throws ContractViolation for a slice past the end of its buffer.
  void expect_inside(Slice slice) const {
    if (data != nullptr) {
      static_cast<void>(data->find(slice));
    } else if (sizes != nullptr) {
      sizes->check(slice);
    }
  }
};

/// The reductions of one simulated rank that follow a receive.
class SimulatedReducer final : public Reducer {
 public:
  /// Starts an operation of this duration.
  using Execute = std::function<Pending(Seconds)>;
  SimulatedReducer(RankReduction own, Execute execute) : own_{own}, execute_{std::move(execute)} {}
  [[nodiscard]] Reduction reduction() const override { return own_.reduction; }
  Pending accumulate(Slice into, Slice from) override;
  Pending finish(Slice into, int ranks) override;

 private:
  [[nodiscard]] Pending reduce(Seconds duration) const;

  RankReduction own_;
  Execute execute_;
};

/// A message whose flow has ended; `bytes` is empty without real data.
struct ArrivedMessage {
  Rank from;
  Rank to;
  Tag tag;
  Bytes length;
  const std::vector<std::byte>& bytes;
};

/// Completes the recv that `message` matched: writes its bytes, or reduces them as a part of the
/// receive. Throws TransportError if the lengths differ.
void finish_recv(const RankReduction& own, const ArrivedMessage& message, Slice into,
                 bool accumulating);

}  // namespace ringcast
