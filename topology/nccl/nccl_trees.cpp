#include "topology/nccl/nccl_trees.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "topology/nccl/nccl_chunks.hpp"
#include "topology/nccl/nccl_tables.hpp"

namespace ringcast::detail {
namespace {

// The data in an eighth of LL128's buffer, which calcCollChunking() in src/enqueue.cc halves for
// small buffers.
constexpr double chunk_of_ll128 = 576000;
// The data that the threads which broadcast in a tree of LL128 move in one pass: those of 6 of 20
// warps (runTreeSplit() in src/device/all_reduce.h), each 1,920 bytes of data in 2 KiB
// (NCCL_LL128_SHMEM_ELEMS_PER_THREAD in src/include/device.h).
constexpr double pass_of_ll128 = 6 * 1920;

/// Chunks longer than `least` bytes are halved while a channel has fewer than `chunks`.
struct Shortening {
  double chunks;
  double least;
};

Seconds chain_fill(const NcclMachine& machine, Bytes chunk) {
  const auto generation = static_cast<std::size_t>(machine.gpus.generation);
  const BytesPerSecond threads{nccl_tables::tree_channel[generation][0] * 1e9 / 2};
  if (!machine.nvlink || machine.in_node <= threads) return Seconds{0};
  const int hops = 2 * (machine.ranks / machine.nodes - 1);
  return hops * (chunk / threads - chunk / machine.in_node);
}

/// The handshake of a message between nodes that is this long on the wire.
Seconds handshake_of(const NcclMachine& machine, double bytes) {
  const auto& rendezvous = machine.rendezvous;
  const bool begins = rendezvous && bytes > static_cast<double>(rendezvous->above.count());
  return begins ? rendezvous->handshake : Seconds{0};
}

/// A chunk of a tree's channel, in bytes.
double tree_chunk(const NcclMachine& machine, const Protocol& protocol, double size) {
  const int per_node = machine.ranks / machine.nodes;
  const double channels =
      channels_in_use(machine, protocol, Bytes{static_cast<std::uint64_t>(size)});
  const auto shrunk = [&](double chunk, std::initializer_list<Shortening> rules) {
    for (const auto& [chunks, least] : rules) {
      while (std::floor(size / (channels * chunk)) < chunks && chunk > least) {
        chunk /= 2;
      }
    }
    return chunk;
  };
  if (protocol.name == "LL128" && !machine.xgmi_mesh) {
    const double steps = 1 + floor_log2(machine.nodes) + 0.1 * per_node;
    return shrunk(chunk_of_ll128,
                  {{steps * 64 / per_node, 128 << 10}, {steps * 16 / per_node, 32 << 10}});
  }
  // A chunk is an eighth of the channel's buffer; LL has smaller ones.
  const bool simple = protocol.name == "Simple";
  const double chunk =
      simple ? static_cast<double>(machine.limits.channel_buffer.count()) / 8 : 256 << 10;
  const bool whole = !machine.rccl && machine.version >= nccl_tables::first_whole_chunks;
  if (simple && whole) return chunk;
  const double depth = per_node - 1 + floor_log2(machine.nodes);  // of connectTrees() in connect.cc
  return shrunk(chunk, {{depth * 8, 128 << 10}, {depth * 4, 64 << 10}, {depth, 32 << 10}});
}

/// The fraction of its rate at which a channel of LL128 moves `share` in chunks, each after the
/// first in whole passes and one more.
double part_in_passes(double share, double chunk) {
  if (share <= chunk) return 1;
  const double passes = std::ceil(chunk / pass_of_ll128) + 1;
  return share / (chunk + (share / chunk - 1) * passes * pass_of_ll128);
}

TreePipeline pipeline_of_ll128(const NcclMachine& machine, double share, double chunk,
                               int channels) {
  TreePipeline pipeline;
  // Our channels are two trees, each with half of the rate.
  pipeline.segment = pieces(share / (pass_of_ll128 / 2), share);
  const BytesPerSecond rate{nccl_tables::at(nccl_tables::tree_ll128, machine) / 4};
  const bool forwards = machine.ranks > 2;
  pipeline.rate = (forwards ? part_in_passes(share, chunk) : 1) * rate;
  pipeline.in_flight = Bytes{static_cast<std::uint64_t>(8 * chunk)};
  const double stored = std::min(share, chunk);
  // A segment is at least 64 bytes, even of a smaller buffer.
  pipeline.messages = std::min(1.0, static_cast<double>(pipeline.segment.count()) / stored);
  pipeline.store = Seconds{stored / rate.value()} + handshake_of(machine, stored);
  if (machine.nodes > 1) pipeline.store += Seconds{stored * channels / machine.between.value()};
  return pipeline;
}

}  // namespace

bool reduces_first(const NcclMachine& machine, const Protocol& protocol) {
  if (machine.rccl) return protocol.name == "Simple";
  return machine.version < nccl_tables::first_split_trees && protocol.name != "LL128";
}

TreePipeline tree_pipeline(const NcclMachine& machine, const Protocol& protocol, Bytes size) {
  const auto bytes = static_cast<double>(size.count());
  const int channels = channels_in_use(machine, protocol, size);
  const double share = bytes / channels;
  const double chunk = tree_chunk(machine, protocol, bytes);
  if (protocol.name == "LL128" && !machine.xgmi_mesh) {
    return pipeline_of_ll128(machine, share, chunk, channels);
  }
  TreePipeline pipeline;
  if (protocol.name == "LL" && machine.nodes == 1) {
    // Each thread forwards its lines as they arrive; a network sends whole chunks.
    const auto pass = static_cast<double>(pass_of_a_channel(machine, protocol).count());
    pipeline.segment = shard_pieces(share / pass, share);
    return pipeline;
  }
  pipeline.segment = shard_pieces(share / chunk, share);
  if (protocol.name != "Simple") {
    pipeline.store = handshake_of(machine, std::min(share, chunk) / protocol.efficiency);
    return pipeline;
  }
  if (reduces_first(machine, protocol) && !machine.rccl) {
    pipeline.rate = BytesPerSecond{nccl_tables::at(nccl_tables::tree_channel, machine) / 2};
    return pipeline;
  }
  pipeline.fill = chain_fill(machine, pieces(share / chunk, share));
  if (machine.gpus.generation == GpuGeneration::blackwell &&
      machine.version >= nccl_tables::first_blackwell_trees) {
    pipeline.across = BytesPerSecond{nccl_tables::at(nccl_tables::tree_channel, machine) / 4};
  }
  return pipeline;
}

}  // namespace ringcast::detail
