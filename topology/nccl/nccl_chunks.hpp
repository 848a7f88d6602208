#pragma once

#include <bit>

#include "topology/nccl/nccl_tuner.hpp"

namespace ringcast::detail {

[[nodiscard]] inline int floor_log2(int number) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(number))) - 1;
}

/// The bytes that the threads of a channel's block move in one pass: 8 each of LL and LL128, 64 of
/// Simple (threadThresholds in src/graph/tuning.cc, NCCL_LL_THREAD_THRESHOLD in
/// src/include/comm.h).
[[nodiscard]] Bytes pass_of_a_channel(const Protocol& protocol);

/// What lines of LL and LL128 cost a hop beside its latency.
struct LineCosts {
  Seconds within{0};
  Seconds across{0};
};

/// The lines of LL and LL128 are stored by one GPU's block of threads and loaded by the next GPU's;
/// a thread forwards a line as soon as it has received it. So a hop over NVLink takes, beside the
/// latency, the time to store and to load the threads' first lines, at the rate of the channels in
/// use, few for small buffers. The time of these lines on the wire, which the transfer contains, is
/// subtracted: on a ring that of all channels at once, on a tree less, as its chains begin at one
/// GPU of a node after the other. The rate of a channel is the tuner's for LL128
/// (src/graph/tuning.cc). Trees of LL128 have it in their pipeline.
///
/// Between nodes a card takes a chunk when all of its lines are stored (sendProxyProgress() in
/// src/transport/net.cc). On rings of LL128 the latency of each step contains that time already,
/// as our ranks wait for their own sends.
[[nodiscard]] LineCosts line_costs(const NcclMachine& machine, const Protocol& protocol, Bytes size,
                                   int channels);

/// The channels that NCCL uses for a buffer: as many as have a pass each, on a ring of LL one for
/// each rank's chunk (topoGetAlgoInfo() in src/enqueue.cc), and since 2.26 at most one for each 16
/// KiB of traffic, since 2.29 32 KiB (scheduleCollTasksToPlan() there): so many that all get as
/// many of such cells, as seen in 2.28.9. A byte of the buffer counts as two, with LL as eight.
[[nodiscard]] int channels_in_use(const NcclMachine& machine, const Protocol& protocol, Bytes size);

// The pieces that travel under a protocol: NCCL's chunks of all channels on a ring. They get
// smaller until there are enough of them to fill the pipeline, as in calcCollChunking() in NCCL's
// src/enqueue.cc.

/// A tree as a pipeline.
struct TreePipeline {
  Bytes segment;
  Seconds fill{0};                      // beyond that of the segments themselves
  Seconds store{0};                     // of a chunk, before a card takes it
  double messages = 1;                  // between nodes that a segment stands for
  BytesPerSecond rate{0};               // of a channel, each way; zero: no limit
  std::optional<Bytes> in_flight = {};  // of a channel: the eight chunks of its buffer
};

/// A rank of a chain passes a chunk of Simple on when it has all of it, and the threads of a
/// channel copy no faster than half of what NCCL's tuner allows two channels in a node: 12 GB/s on
/// A100, where two p4d show 11, and 19 on H100, where TCPXO shows 20. Until a tree is filled few
/// chunks are on the way, to which our program gives all of a node's NVLinks. Where the threads
/// reduce first, the tuner's limit holds throughout: as for LL128 below, of each way half as long.
///
/// With LL128 a rank passes lines on, those of one pass of the threads; only a card takes whole
/// chunks.
/// The tuner's limit per channel holds for the two channels that each ring of its search becomes,
/// and for the bus bandwidth, twice that of the data: a quarter of it is left for a channel each
/// way. Two nodes of two H100 each show 7.6 GB/s where it says 9.2, two of eight A100 4 to 5.7
/// where it says 5. What RCCL's channels carry is not known: on AMD's meshes there is no limit, and
/// chunks of LL128 are those of LL.
[[nodiscard]] TreePipeline tree_pipeline(const NcclMachine& machine, const Protocol& protocol,
                                         Bytes size);

/// Whether the threads of a tree's channel reduce all of its data and then broadcast it. Those of
/// RCCL do with Simple, in each release (runTreeUpDown() in its src/device/all_reduce.h).
[[nodiscard]] bool reduces_first(const NcclMachine& machine, const Protocol& protocol);

/// The share of the NVLinks' rate that in-switch sums reach, beside what their steps take.
[[nodiscard]] double switched_efficiency(const NcclMachine& machine, std::string_view left_out);

/// In-switch sums as a pipeline.
struct SwitchedPipeline {
  Bytes segment;
  Seconds fill{0};    // beyond that of the segments themselves
  double steps = 0;   // of each head of a channel, in sequence
  Seconds hidden{0};  // of what the steps take, by the network
  double first = 0;   // messages of all channels until the pipeline is full: up and down the tree
};

/// `within`: the rate of a GPU's NVLinks; `rate`: of the whole, less where the network is slower.
///
/// Between nodes the first chunk takes the same steps over NVLink as in a node, and two for each
/// level of the tree; each step lasts as long as its chunk occupies the link, and the slowest
/// delays all further chunks: pipelineModel() and ncclTuningPipelineNvlsTreeGetAlgoStep() in NCCL's
/// src/tuning (after 2.30). Half of the channels run the tree the other way round (ncclGetDtree()
/// in src/graph/trees.cc), so a step brings a node with one child half a chunk, and one with two
/// children a whole one. The root has one child: in the first loop its two steps take half. The
/// next loop's way up shares the cards with the way down. Our program fills in the same way with
/// its segments, quarters of NCCL's chunks.
[[nodiscard]] SwitchedPipeline switched_pipeline(const NcclMachine& machine, Bytes size,
                                                 BytesPerSecond within, BytesPerSecond rate,
                                                 std::string_view left_out);

}  // namespace ringcast::detail
