#pragma once

#include <functional>
#include <memory>

#include "engine/contracts/collective.hpp"
#include "engine/contracts/transport.hpp"
#include "engine/schedule/ring_order.hpp"
#include "sim/model/sim_options.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// The part of an all-reduce that one call performs. A first half makes only the buffer copies
/// before the all-reduce, a second half only those after it.
enum class CallPart { whole, first_half, second_half };

/// How a rank spends simulated time other than on messages. sleep() and copy() return when the time
/// has elapsed on the rank's clock.
struct RankActions {
  bool is_gpu;  // other ranks are servers: a call costs them nothing
  std::function<void(Seconds)> sleep;
  std::function<void(CopyDirection, Bytes)> copy;
  /// The sum of the overheads of all messages that the rank has sent.
  std::function<Seconds()> overheads;
};

/// Runs a rank's program. If the program is a call (SimOptions::program_is_a_call) on a GPU, it
/// also takes the call's overhead and the copies of the buffer.
void run_program(const TransportProfile& profile, const RankActions& actions,
                 const SimOptions& options, const RankProgram& program, RankContext& self);

/// `collective` with the cost of a call on GPUs. Without a tuner, a call takes a rank at least the
/// sum of the overheads of all messages that it sends: one processor handles them all, whereas the
/// simulated streams pay their overheads concurrently. With a tuner (NCCL) each channel has its own
/// thread block. The profile and the collective must outlive it.
[[nodiscard]] std::unique_ptr<Collective> with_call_costs(
    const TransportProfile& profile, const Collective& collective, CallPart part,
    std::function<RankActions(Rank)> actions_of);

}  // namespace ringcast
