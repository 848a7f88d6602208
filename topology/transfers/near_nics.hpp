#pragma once

#include <map>
#include <span>

#include "topology/routes/topology.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast::detail {

/// NICs that NCCL prefers to P2P and shared memory within a node: two GPUs use the network if each
/// has a NIC within PathLevel::pxb that is faster, by NCCL's rates of links, than the path between
/// the GPUs (ncclTopoCheckNet() in src/graph/paths.cc, NVIDIA/nccl#930; NCCL_NET_DISABLE_INTRA=1
/// prevents it). So it is in 2.26; in 2.32, and in RCCL's copy of 2.28, the function is silent
/// about GPUs of other nodes, and such GPUs of a host find shared memory first.
class NearNics {
 public:
  /// Whether the library has this preference; otherwise there are none.
  [[nodiscard]] static bool matter_to(const TransportProfile& profile);
  /// `places`: the vertices of the job's ranks. The topology must outlive this.
  NearNics(const Topology& topology, const TransportProfile& profile, std::span<const int> places);

  /// Whether two GPUs of a node use the network.
  [[nodiscard]] bool are_faster(int gpu, int other) const;
  /// Whether they may be faster for any GPU.
  [[nodiscard]] bool any() const { return !rates_.empty(); }

 private:
  const Topology* topology_;
  NcclVersion version_;
  std::map<int, double> rates_ = {};  // by GPU: to its fastest NIC, bytes per second
};

}  // namespace ringcast::detail
