#include "sim/fluid/fluid_transport.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "engine/reference/stopped.hpp"
#include "sim/fluid/fluid_messages.hpp"
#include "sim/model/simulated_rank.hpp"

namespace ringcast {

FluidTransport::FluidTransport(const TransferPaths& paths, int gpus, FluidJob job,
                               Reduction reduction, SimOptions options)
    : paths_{&paths},
      gpus_{gpus},
      job_{std::move(job)},
      reduction_{reduction},
      options_{std::move(options)} {}

RankActions FluidTransport::actions_of(std::size_t rank) {
  expect(running_ != nullptr, "the costs of a call outside of the simulation");
  const auto copy = [this, rank](CopyDirection direction, Bytes size) {
    running_->copy(rank, direction, size);
    if (rank == 0) {
      copied_[direction] += size;
    }
  };
  return {is_gpu(rank), [this, rank](Seconds duration) { running_->sleep(rank, duration); }, copy,
          [this, rank] { return running_->overheads(rank); }};
}

std::unique_ptr<Collective> FluidTransport::with_call_costs(const Collective& collective,
                                                            CallPart part) {
  return ringcast::with_call_costs(paths_->profile(), collective, part, [this](Rank rank) {
    const auto found = std::ranges::lower_bound(job_.ranks, rank);
    return actions_of(static_cast<std::size_t>(found - job_.ranks.begin()));
  });
}

void FluidTransport::run_rank(std::size_t rank, const RankProgram& program, BlockedRanks& blocked) {
  FluidSimulation& simulation = *running_;
  const auto sleep = [&](Seconds duration) { simulation.sleep(rank, duration); };
  const FluidRank self{simulation, job_, *paths_, rank, blocked};
  const auto reduce = [&](Seconds duration) { return execute_on(self, duration); };
  run_simulated_rank(FluidMessages{self}, reduction_,
                     {actions_of(rank), {[&] { return simulation.now(); }, sleep}, reduce},
                     options_, program);
}

void FluidTransport::run(const RankProgram& program) {
  FluidSimulation simulation{job_, *paths_};
  run(simulation, program);
}

void FluidTransport::run_first_messages(const RankProgram& program, std::size_t streams) {
  FluidSimulation simulation{job_, *paths_};
  simulation.stop_once_begun(streams);
  run(simulation, program);
}

void FluidTransport::run(FluidSimulation& simulation, const RankProgram& program) {
  running_ = &simulation;
  if (paths_->profile().compute_competition > 0 && !options_.program_is_a_call) {
    simulation.forbid_skipping();  // concurrent computations depend on each reduction
  }
  simulation.on_progress(options_.traffic.progress);
  BlockedRanks blocked{size()};
  std::string deadlock;
  time_ = Seconds{0};
  copied_.clear();
  simulation.on_deadlock([&] { deadlock = blocked.text(); });
  const std::exception_ptr failure = simulation.run([&](std::size_t rank) {
    run_rank(rank, program, blocked);
    time_ = simulation.now();  // ranks end in the order of time
  });
  running_ = nullptr;
  if (failure) std::rethrow_exception(failure);
  if (!deadlock.empty()) {
    throw TransportError{fmt::format("deadlock: {}", deadlock)};
  }
  traffic_.clear();
  begun_.clear();
  for (std::size_t i = 0; i < job_.streams.size(); ++i) {
    traffic_.push_back(simulation.traffic(static_cast<int>(i)));
    begun_.push_back(simulation.begun(static_cast<int>(i)));
  }
}

}  // namespace ringcast
