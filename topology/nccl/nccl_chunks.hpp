#pragma once

#include <bit>

#include "topology/nccl/nccl_tuner.hpp"

namespace ringcast::detail {

[[nodiscard]] inline int floor_log2(int number) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(number))) - 1;
}

/// The bytes that the threads of a channel's block move in one pass: 8 per thread with LL and
/// LL128, 64 with Simple (threadThresholds in src/graph/tuning.cc, NCCL_LL_THREAD_THRESHOLD in
/// src/include/comm.h). RCCL's blocks have 256 threads (NCCL_MAX_NTHREADS and
/// NCCL_LL128_MAX_NTHREADS in its src/include/device.h).
[[nodiscard]] Bytes pass_of_a_channel(const NcclMachine& machine, const Protocol& protocol);

/// The time of a hop for the lines of LL and LL128, in addition to its latency: within a node, and
/// between nodes.
struct LineCosts {
  Seconds within{0};
  Seconds across{0};
};

/// A block of threads of one GPU stores the lines of LL and LL128, and a block of the next GPU
/// loads them; a thread forwards a line as soon as it has received it. So a hop over NVLink takes,
/// in addition to the latency, the time to store and to load the threads' first lines, at the rate
/// of the channels in use, few for small buffers. The time of these lines on the wire, which the
/// transfer contains, is subtracted: on a ring that of all channels at once, on a tree less, since
/// its chains begin at different GPUs of a node. The rate of a channel is the tuner's for LL128
/// (src/graph/tuning.cc). For trees of LL128 this time is part of their pipeline.
///
/// Between nodes a NIC sends a chunk once all of its lines are stored (sendProxyProgress() in
/// src/transport/net.cc). On rings of LL128 the latency of each step already includes that time,
/// because our ranks wait for their own sends.
[[nodiscard]] LineCosts line_costs(const NcclMachine& machine, const Protocol& protocol, Bytes size,
                                   int channels);

/// The number of channels that NCCL uses for a buffer: each gets at least one pass, on a ring of LL
/// one for each rank's chunk (topoGetAlgoInfo() in src/enqueue.cc), and since 2.26 at least a cell
/// of 16 KiB of traffic, since 2.29 of 32 KiB (scheduleCollTasksToPlan() there). The cells are
/// divided evenly, as seen in 2.28.9. A byte of the buffer is two bytes of traffic, with LL eight.
[[nodiscard]] int channels_in_use(const NcclMachine& machine, const Protocol& protocol, Bytes size);

// A segment is what our program sends at once: NCCL's chunks of all channels of a ring. Segments
// get shorter until there are enough of them to fill the pipeline, as in calcCollChunking() in
// NCCL's src/enqueue.cc.

/// The size of a piece if `whole` is cut into `count` pieces, up to a limit: with so many pieces,
/// filling the pipeline takes a few percent of the time.
[[nodiscard]] Bytes pieces(double count, double whole);

/// Pieces of a shard or of a tree's part. Some of these are longer by one element, and are cut into
/// equally many pieces.
[[nodiscard]] Bytes shard_pieces(double count, double whole);

/// The fraction of the NVLinks' rate that in-switch sums reach, apart from the time of their steps.
[[nodiscard]] double switched_efficiency(const NcclMachine& machine, std::string_view left_out);

/// In-switch sums as a pipeline.
struct SwitchedPipeline {
  Bytes segment;
  Seconds fill{0};    // in addition to that of the segments themselves
  double steps = 0;   // of each head of a channel, in sequence
  Seconds hidden{0};  // the time of steps that a slower transfer hides
  double first = 0;   // messages of all channels until the pipeline is full: up and down the tree
};

/// `within`: the rate of a GPU's NVLinks. `rate`: that of the whole, less if the network or, for
/// long sums, the GPU is slower.
///
/// Between nodes the first chunk takes the same steps over NVLink as in a node, and two for each
/// level of the tree; each step lasts as long as its chunk occupies the link, and the slowest
/// delays all further chunks: pipelineModel() and ncclTuningPipelineNvlsTreeGetAlgoStep() in NCCL's
/// src/tuning (2.32.6). Half of the channels run the mirrored tree (ncclGetDtree() in
/// src/graph/trees.cc), so in a step a node with one child receives half a chunk, and one with two
/// children a whole one. The root has one child: in the first loop its two steps take half. The
/// reduction of the next loop shares the NICs with the broadcast. Our program fills its pipeline
/// in the same way, with segments that are quarters of NCCL's chunks.
[[nodiscard]] SwitchedPipeline switched_pipeline(const NcclMachine& machine, Bytes size,
                                                 BytesPerSecond within, BytesPerSecond rate,
                                                 std::string_view left_out);

}  // namespace ringcast::detail
