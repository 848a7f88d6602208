#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/contracts/collective.hpp"
#include "engine/contracts/transport.hpp"
#include "sim/fluid/fluid_simulation.hpp"
#include "sim/model/blocked_ranks.hpp"
#include "sim/model/call_costs.hpp"
#include "sim/model/sim_options.hpp"

namespace ringcast {

/// Runs rank programs in simulated time without SimGrid, on the ranks of a FluidJob, each of which
/// represents a class of ranks. A program gets its own rank and the size of the whole job; its
/// messages are delivered to the representative of its peer. A process may have any number of runs.
class FluidTransport final : public Transport {
 public:
  /// `paths` are those of all ranks, the first `gpus` of which have GPUs; they must outlive this.
  /// SimOptions::traffic.record_messages has no effect here.
  FluidTransport(const TransferPaths& paths, int gpus, FluidJob job, Reduction reduction,
                 SimOptions options);
  [[nodiscard]] std::string_view name() const override { return "fluid"; }
  [[nodiscard]] int size() const override { return paths_->ranks(); }
  void run(const RankProgram& program) override;
  /// Runs until so many streams have begun their first messages.
  void run_first_messages(const RankProgram& program, std::size_t streams);
  /// SimTransport::with_call_costs.
  [[nodiscard]] std::unique_ptr<Collective> with_call_costs(const Collective& collective,
                                                            CallPart part = CallPart::whole);

  // The result of the run (after run_first_messages(), that of its part):
  /// Until the last rank ended.
  [[nodiscard]] Seconds time() const { return time_; }
  /// By stream of the job; so is begun().
  [[nodiscard]] const std::vector<StreamTraffic>& traffic() const { return traffic_; }
  [[nodiscard]] const std::vector<std::optional<FluidSimulation::Begun>>& begun() const {
    return begun_;
  }
  /// SimReport::copied
  [[nodiscard]] const std::map<CopyDirection, Bytes>& copied() const { return copied_; }

 private:
  void run(FluidSimulation& simulation, const RankProgram& program);
  void run_rank(std::size_t rank, const RankProgram& program, BlockedRanks& blocked);
  [[nodiscard]] bool is_gpu(std::size_t rank) const { return index_of(job_.ranks[rank]) < gpus_; }
  /// Valid during run().
  [[nodiscard]] RankActions actions_of(std::size_t rank);

  const TransferPaths* paths_;
  int gpus_;
  FluidJob job_;
  Reduction reduction_;
  SimOptions options_;
  FluidSimulation* running_ = nullptr;
  Seconds time_{0};
  std::vector<StreamTraffic> traffic_;
  std::vector<std::optional<FluidSimulation::Begun>> begun_;
  std::map<CopyDirection, Bytes> copied_;
};

}  // namespace ringcast
