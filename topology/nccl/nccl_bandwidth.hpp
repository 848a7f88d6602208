#pragma once

#include <algorithm>
#include <string_view>
#include <utility>

#include "topology/nccl/nccl_tuner.hpp"

/// The bandwidths, in bytes per second, that NCCL's tuner of the machine's release computes in
/// ncclTopoTuneModel(), src/graph/tuning.cc.
namespace ringcast::detail {

/// The machine with the constants of the newest release, which are closest to measurements and the
/// basis of costs. Its rings are kept.
[[nodiscard]] inline NcclMachine with_newest_release(NcclMachine machine) {
  machine.version = newest_nccl;
  return machine;
}

/// The same, for transfers: more channels than NCCL's search finds (NCCL_MIN_NCHANNELS) carry more,
/// and fewer less, though NCCL does not expect it. Limits are those of whole rings.
[[nodiscard]] inline NcclMachine as_it_runs(NcclMachine machine) {
  const int channels = machine.channels();
  machine.limits.least_channels = 0;
  machine.limits.most_channels = most_nccl_channels;
  machine.search.rings = std::max(1, machine.search.rings * channels / machine.channels());
  return with_newest_release(std::move(machine));
}

/// The bus bandwidth of in-switch sums between nodes: reduction and broadcast overlap, and between
/// two nodes each NIC is crossed once. Infinite in one node.
[[nodiscard]] double switched_network(const NcclMachine& machine);

/// The bus bandwidth of an algorithm with the protocol Simple.
[[nodiscard]] double simple_bandwidth(const NcclMachine& machine, std::string_view algorithm);

/// The same under a protocol.
[[nodiscard]] double bus_bandwidth(const NcclMachine& machine, const Protocol& protocol);
/// The same for the channels that NCCL's search finds.
[[nodiscard]] double expected_bandwidth(const NcclMachine& machine, const Protocol& protocol);

}  // namespace ringcast::detail
