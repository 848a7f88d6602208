#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/contracts/collective.hpp"

namespace ringcast {

/// Transfers between ranks 0 and 1, as two-rank benchmarks time them; other ranks do nothing. They
/// are no collectives, but run as such: the request's buffer is the message, nothing is combined.
/// - `one-way`: messages one behind the other (osu_bw, one direction of p2pBandwidthLatencyTest)
/// - `both-ways`: the same in both directions at once (osu_bibw)
/// - `ping-pong`: a message there, then one back (osu_latency)
[[nodiscard]] const std::vector<std::string>& transfer_names();
[[nodiscard]] bool is_transfer(std::string_view name);

/// Throws ContractViolation for an unknown name.
[[nodiscard]] std::unique_ptr<Collective> make_transfer(std::string_view name);

/// The messages of one run that follow each other: its time over these is that of one message.
[[nodiscard]] int consecutive_messages(std::string_view name);

}  // namespace ringcast
