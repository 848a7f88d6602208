#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/contracts/collective.hpp"

namespace ringcast {

/// Transfers between ranks 0 and 1, as timed by two-rank benchmarks; other ranks do nothing. They
/// run like collectives: the request's buffer is the message, and nothing is combined.
/// - `one-way`: back-to-back messages (osu_bw, one direction of p2pBandwidthLatencyTest)
/// - `both-ways`: the same in both directions at once (osu_bibw)
/// - `ping-pong`: a message there, then one back (osu_latency)
[[nodiscard]] const std::vector<std::string>& transfer_names();
[[nodiscard]] bool is_transfer(std::string_view name);

/// Throws ContractViolation for an unknown name.
[[nodiscard]] std::unique_ptr<Collective> make_transfer(std::string_view name);

/// The number of consecutive messages of one run, by which its time is divided.
[[nodiscard]] int consecutive_messages(std::string_view name);

}  // namespace ringcast
