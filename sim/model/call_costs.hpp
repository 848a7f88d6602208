#pragma once

#include <functional>
#include <memory>

#include "engine/contracts/collective.hpp"
#include "engine/contracts/transport.hpp"
#include "engine/schedule/ring_order.hpp"
#include "sim/model/sim_options.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// The part of an all-reduce that a call is, which decides on its buffer copies: the first half
/// has those before it, the second those after.
enum class CallPart { whole, first_half, second_half };

/// How a rank spends simulated time beside its messages; both return when that has passed by its
/// clock.
struct RankActions {
  bool is_gpu;  // other ranks serve: a call costs them nothing
  std::function<void(Seconds)> sleep;
  std::function<void(CopyDirection, Bytes)> copy;
  /// The sum of the overheads of all messages that the rank has sent.
  std::function<Seconds()> overheads;
};

/// Runs a rank's program, on a GPU with the cost of the call that it is: its overhead, and the
/// copies of the buffer (SimOptions::program_is_a_call).
void run_program(const TransportProfile& profile, const RankActions& actions,
                 const SimOptions& options, const RankProgram& program, RankContext& self);

/// `collective` with the cost of a call on GPUs. Without a tuner it takes a rank no less than the
/// overheads of all messages that the rank sends: one processor handles them, which streams that
/// are simulated beside each other do not share. NCCL's channels have thread blocks of their own.
/// The profile and the collective must outlive it.
[[nodiscard]] std::unique_ptr<Collective> with_call_costs(
    const TransportProfile& profile, const Collective& collective, CallPart part,
    std::function<RankActions(Rank)> actions_of);

}  // namespace ringcast
