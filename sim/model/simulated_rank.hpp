#pragma once

#include <utility>

#include "sim/model/call_costs.hpp"
#include "sim/model/simulated_endpoint.hpp"

namespace ringcast {

/// How one simulated rank spends time beside its messages.
struct RankTime {
  RankActions actions;
  SimClock clock;  // of its computations
  SimulatedReducer::Execute reduce;
};

/// Runs a program as a rank of a simulation. `backend`: as of SimulatedEndpoint.
template <typename Backend>
void run_simulated_rank(Backend backend, Reduction reduction, const RankTime& time,
                        const SimOptions& options, const RankProgram& program) {
  HostMemory host_memory;
  PhantomMemory phantom_memory;
  HostMemory* const data = options.with_data ? &host_memory : nullptr;
  Memory& memory = options.with_data ? static_cast<Memory&>(host_memory) : phantom_memory;
  const TransportProfile& profile = backend.profile();
  SimProcessor processor{profile.compute_competition, time.clock};
  const RankReduction own{reduction, ReductionCost{profile, time.actions.is_gpu}, data, &processor,
                          &phantom_memory};
  SimulatedReducer reducer{own, time.reduce};
  SimulatedEndpoint endpoint{std::move(backend), own, memory, reducer};
  RankContext context{endpoint, memory, reducer, processor};
  run_program(profile, time.actions, options, program, context);
}

}  // namespace ringcast
