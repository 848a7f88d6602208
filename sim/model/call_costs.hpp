#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "engine/contracts/collective.hpp"
#include "engine/contracts/transport.hpp"
#include "engine/schedule/ring_order.hpp"
#include "sim/model/sim_options.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// The part of an all-reduce that a call is, which decides on its buffer copies: the first half
/// has those before it, the second those after.
enum class CallPart { whole, first_half, second_half };

/// How a rank spends simulated time beside its messages; each returns when that has passed by
/// its clock.
struct RankActions {
  std::function<void(Seconds)> sleep;
  std::function<void(CopyDirection, Bytes)> copy;
};

/// Runs a rank's program, on ranks that have actions with the cost of the call that it is: its
/// overhead, and the copies of the buffer (SimOptions::program_is_a_call).
void run_program(const TransportProfile& profile, const std::optional<RankActions>& actions,
                 const SimOptions& options, const RankProgram& program, RankContext& self);

/// `collective` with the cost of a call, on ranks that have actions: the GPUs. The profile and the
/// collective must outlive it.
[[nodiscard]] std::unique_ptr<Collective> with_call_costs(
    const TransportProfile& profile, const Collective& collective, CallPart part,
    std::function<std::optional<RankActions>(Rank)> actions_of);

}  // namespace ringcast
