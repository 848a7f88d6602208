#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "engine/contracts/collective.hpp"
#include "engine/schedule/ring_order.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// The part of an all-reduce that a call is, which decides on its buffer copies: the first half
/// has those before it, the second those after.
enum class CallPart { whole, first_half, second_half };

/// How a rank spends simulated time beside its messages; each returns when that has passed.
struct RankActions {
  std::function<void(Seconds)> sleep;
  std::function<void(CopyDirection, Bytes)> copy;
};

/// Runs `body`, a collective on a buffer of `size`, with the profile's cost of a call: its
/// overhead, and the copies of the buffer.
void run_call(const TransportProfile& profile, const RankActions& actions, Bytes size,
              CallPart part, const std::function<void()>& body);

/// `collective` with the cost of a call, on ranks that have actions: the GPUs. The profile and the
/// collective must outlive it.
[[nodiscard]] std::unique_ptr<Collective> with_call_costs(
    const TransportProfile& profile, const Collective& collective, CallPart part,
    std::function<std::optional<RankActions>(Rank)> actions_of);

}  // namespace ringcast
