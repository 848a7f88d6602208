#pragma once

#include <random>

#include <fmt/format.h>

#include "engine/collectives/allreduce_algorithms.hpp"
#include "sim/simgrid/sim_transport.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast::testing {

/// `gpus` GPUs, each on its own cable to one switch: no ring shares a link with another hop.
inline Cluster star(int gpus, BytesPerSecond bandwidth, Seconds latency) {
  Cluster cluster{"star", {{"switch", VertexKind::pcie_switch, 0}}, {}};
  for (int gpu = 0; gpu < gpus; ++gpu) {
    cluster.vertices.push_back({fmt::format("gpu{}", gpu), VertexKind::gpu, 0});
    cluster.cables.push_back({0, gpu + 1, bandwidth, latency, "test", "test"});
  }
  return cluster;
}

inline TransportProfile free_of_cost() {
  return {.name = "ideal", .source = "test"};
}

/// The reduction alone costs time: as a part of the receive (fused), or after it.
inline TransportProfile reducing(bool fused) {
  TransportProfile profile = free_of_cost();
  profile.reduce_rate = 100_GBps;
  profile.fused_reduction = fused;
  return profile;
}

/// Random costs of calls, messages and reductions.
inline TransportProfile random_costs(std::mt19937& random) {
  TransportProfile profile = free_of_cost();
  profile.message_overhead = Seconds{1e-6 * static_cast<double>(random() % 4)};
  profile.call_overhead = 10_us;
  profile.reduce_rate = BytesPerSecond{1e9 * static_cast<double>(random() % 20)};
  profile.reduce_overhead = Seconds{1e-6 * static_cast<double>(random() % 3)};
  profile.fused_reduction = random() % 2 == 0;
  return profile;
}

/// Simulated time of `program` on all GPUs of a cluster. Once per process.
inline Seconds simulated_time(const Cluster& cluster, const TransportProfile& profile,
                              const RankProgram& program) {
  const Topology topology{cluster};
  SimTransport transport{topology, topology.ranks(), profile, Reduction{}, {}};
  transport.run(program);
  return transport.report().time;
}

/// A program that all-reduces float32 round a ring in rank order.
inline RankProgram ring_program(int ranks, std::uint64_t elements,
                                std::optional<Bytes> segment = std::nullopt) {
  return [=](RankContext& self) {
    const BufferId data = self.memory.allocate(elements * 4_B);
    make_allreduce("ring", {{RingOrder::identity(ranks)}, segment})->run({data, elements}, self);
  };
}

}  // namespace ringcast::testing
