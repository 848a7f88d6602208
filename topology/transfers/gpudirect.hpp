#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "topology/routes/topology.hpp"
#include "topology/transfers/near_nics.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// Where a job uses GPUDirect: P2P between the GPUs of a node, RDMA between a GPU and a NIC.
/// Otherwise messages are staged through host memory.
class GpuDirect {
 public:
  /// `places`: the vertices of the job's ranks. The topology must outlive this.
  GpuDirect(const Topology& topology, const TransportProfile& profile, std::span<const int> places);

  /// Whether a GPU and one at this distance in its node write to each other directly.
  [[nodiscard]] bool has_p2p(const TransportProfile& profile, int gpu, PathLevel level) const;
  /// Whether messages between two places cross the network: between nodes, and between GPUs of a
  /// node that have no P2P without shared memory, or whose NICs are faster (NearNics).
  [[nodiscard]] bool need_network(const TransportProfile& profile, int from, int to) const;
  /// The nodes of the job's places, as NCCL sees them: TransferPaths::nodes().
  [[nodiscard]] std::vector<int> nodes_of(const TransportProfile& profile,
                                          std::span<const int> places) const;
  /// Whether NICs at this distance write to the GPU's memory and read from it. `allowed`: the
  /// farthest level at which they do.
  [[nodiscard]] bool has_rdma(int gpu, PathLevel level, std::optional<PathLevel> allowed) const;
  /// The GPU of the job over whose NVLink NCCL sends to a NIC that is near that GPU only (PXN,
  /// ncclTopoComputePaths() in src/graph/paths.cc); absent: none. `past_root`: see gdr_past_root().
  [[nodiscard]] std::optional<int> relay(const TransportProfile& profile, int gpu, int nic,
                                         bool past_root) const;
  /// Whether NCCL stages what this GPU sends although NICs may read from it: before Ampere,
  /// without NVLink and not alone in the node, where reads would compete with other GPUs' traffic
  /// (ncclTopoCheckGdr() in src/graph/paths.cc). `link_class`: that of the GPU's PCIe cable, which
  /// gives the generation of an unknown model.
  [[nodiscard]] bool stages_sends(int gpu, std::string_view link_class) const;

 private:
  const Topology* topology_;
  std::vector<std::vector<int>> gpus_of_nodes_;  // of the job, by the nodes' numbers in the cluster
  detail::NearNics near_nics_;
};

}  // namespace ringcast
