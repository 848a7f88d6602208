#pragma once

#include <optional>

#include "topology/nccl/nccl_tuner.hpp"

namespace ringcast::detail {

/// A tree as a pipeline.
struct TreePipeline {
  Bytes segment;
  Seconds fill{0};                      // in addition to that of the segments themselves
  Seconds store{0};                     // of a chunk until a NIC sends it, with its handshake
  double messages = 1;                  // between nodes, for each segment
  BytesPerSecond rate{0};               // of a channel, each way; zero: no limit
  BytesPerSecond across{0};             // the same between nodes; zero: as `rate`
  std::optional<Bytes> in_flight = {};  // of a channel: the eight chunks of its buffer
};

/// Simple: a rank of a chain forwards a chunk once it has all of it. The threads of a channel copy
/// at no more than half the rate that NCCL's tuner allows two channels in a node: 12 GB/s on A100,
/// where two p4d show 11, and 19 on H100, where TCPXO shows 20. Until a tree is full, few chunks
/// are in flight, and our program gives them all NVLinks of a node; `fill` is the difference. If
/// the threads reduce first (reduces_first()), the tuner's limit applies throughout: half of it for
/// a channel each way, twice that of LL128 below, because each way lasts half as long.
///
/// Since 2.28 trees of Blackwell have no more channels than those of Hopper, and their threads do
/// not keep up with the NICs: between nodes the tuner's limit applies as to LL128, a quarter of it
/// each way. Two nodes of B200 show 11.2 GB/s where this gives 10.7, four to 46 nodes 6.1 where it
/// gives 6. On Hopper two nodes show 11.8, all that their NICs carry, where it would give 10.4.
///
/// LL128: a rank forwards the lines of one pass of the threads that broadcast; only a NIC sends
/// whole chunks. The tuner's limit per channel applies to both channels that each ring of its
/// search becomes, and to the bus bandwidth, twice that of the data. So a channel gets a quarter of
/// it each way: 9.2 GB/s on two nodes of H100, 5 on A100. The threads move whole passes, and lose
/// one more at each chunk, because they wait for one another before the next. Two nodes of eight
/// A100 take 7.6 to 8.8 us for a chunk of 18,000 bytes and 17 to 20 us for one of 72,000, where
/// this gives 6.9 and 18.4; two of four H100 5.1, 11.1 and 35.5 us (288,000 bytes), where it
/// gives 3.8, 10 and 32.6.
///
/// The rates of RCCL's channels are not known: on AMD's meshes there is no limit, and chunks of
/// LL128 are those of LL.
[[nodiscard]] TreePipeline tree_pipeline(const NcclMachine& machine, const Protocol& protocol,
                                         Bytes size);

/// Whether the threads of a tree's channel reduce all of its data before they broadcast it. RCCL's
/// do so with Simple in every release (runTreeUpDown() in its src/device/all_reduce.h).
[[nodiscard]] bool reduces_first(const NcclMachine& machine, const Protocol& protocol);

}  // namespace ringcast::detail
