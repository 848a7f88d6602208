#include "topology/transfers/gpudirect.hpp"

#include <algorithm>
#include <unordered_map>

#include "topology/cluster/index.hpp"
#include "topology/links/gpu_models.hpp"
#include "topology/links/link_class.hpp"
#include "topology/transfers/path_level.hpp"

namespace ringcast {
namespace {

/// `link_class`: of its PCIe cable.
bool is_before_ampere(const Vertex& gpu, std::string_view link_class) {
  if (gpu.model != nullptr) return gpu.model->generation() < GpuGeneration::ampere;
  const std::optional<int> pcie = pcie_generation(link_class);
  return pcie && generation_on_pcie(*pcie, gpu.gpudirect) < GpuGeneration::ampere;
}

}  // namespace

GpuDirect::GpuDirect(const Topology& topology, const TransportProfile& profile,
                     std::span<const int> places)
    : topology_{&topology}, near_nics_{topology, profile, places} {
  for (const int place : places) {
    const Vertex& vertex = topology.cluster().vertex(place);
    if (vertex.kind != VertexKind::gpu) continue;
    const std::size_t number = detail::index(vertex.node);
    gpus_of_nodes_.resize(std::max(gpus_of_nodes_.size(), number + 1));
    gpus_of_nodes_[number].push_back(place);
  }
}

bool GpuDirect::has_p2p(const TransportProfile& profile, int gpu, PathLevel level) const {
  const Vertex& vertex = topology_->cluster().vertex(gpu);
  if (level != PathLevel::nvl && !vertex.gpudirect) return false;
  if (reaches(profile.p2p, level)) return true;
  // ncclTopoCheckP2p() in src/graph/paths.cc counts the GPUs since then; RCCL does not.
  constexpr NcclVersion first_to_count{2, 23};
  const bool counted = profile.tuner != Tuner::rccl && profile.nccl_version >= first_to_count;
  return topology_->cluster().vertex(topology_->host_of(gpu)).amd &&
         (!counted || gpus_of_nodes_[detail::index(vertex.node)].size() <= 2) &&
         reaches(profile.p2p_amd_pairs, level);
}

bool GpuDirect::need_network(const TransportProfile& profile, int from, int to) const {
  const Vertex& first = topology_->cluster().vertex(from);
  const Vertex& second = topology_->cluster().vertex(to);
  if (first.node != second.node) return true;
  if (first.kind != VertexKind::gpu || second.kind != VertexKind::gpu) return false;
  return (!profile.shm && !has_p2p(profile, from, level_between(*topology_, from, to))) ||
         near_nics_.are_faster(from, to);
}

std::vector<int> GpuDirect::nodes_of(const TransportProfile& profile,
                                     std::span<const int> places) const {
  std::vector<int> nodes;
  nodes.reserve(places.size());
  std::unordered_map<int, std::vector<std::size_t>> ranks_of;  // by node of the cluster
  for (const int place : places) {
    int node = topology_->cluster().vertex(place).node;
    if (!profile.shm || near_nics_.any()) {
      std::vector<std::size_t>& beside = ranks_of[node];
      node = static_cast<int>(nodes.size());
      for (const std::size_t rank : beside)
        if (!need_network(profile, place, places[rank])) node = std::min(node, nodes[rank]);
      beside.push_back(nodes.size());
    }
    nodes.push_back(node);
  }
  return nodes;
}

bool GpuDirect::has_rdma(int gpu, PathLevel level, std::optional<PathLevel> allowed) const {
  return topology_->cluster().vertex(gpu).gpudirect && reaches(allowed, level);
}

std::optional<int> GpuDirect::relay(const TransportProfile& profile, int gpu, int nic,
                                    bool past_root) const {
  constexpr NcclVersion first_pxn{2, 12};
  constexpr NcclVersion first_pxn_over_c2c{2, 28};
  if (!profile.pxn || profile.nccl_version < first_pxn || profile.is_over_tcp() ||
      !has_p2p(profile, gpu, PathLevel::nvl)) {
    return std::nullopt;
  }
  const auto level_of = [&](int other) { return nic_level(*topology_, other, nic, !past_root); };
  const std::vector<int>& gpus =
      gpus_of_nodes_[detail::index(topology_->cluster().vertex(gpu).node)];
  const PathLevel nearest = level_of(*std::ranges::min_element(gpus, {}, level_of));
  const std::optional<PathLevel> gdr = gdr_level(profile.gdr, past_root);
  const auto found = std::ranges::find_if(gpus, [&](int other) {
    return level_of(other) == nearest && other != gpu && has_rdma(other, nearest, gdr) &&
           level_between(*topology_, gpu, other) == PathLevel::nvl &&
           (!has_c2c(*topology_, other) || profile.nccl_version >= first_pxn_over_c2c);
  });
  const bool is_near = reaches(PathLevel::pxb, nearest);
  return is_near && found != gpus.end() ? std::optional{*found} : std::nullopt;
}

bool GpuDirect::stages_sends(int gpu, std::string_view link_class) const {
  const Vertex& vertex = topology_->cluster().vertex(gpu);
  const std::vector<int>& gpus = gpus_of_nodes_[detail::index(vertex.node)];
  return gpus.size() > 1 && is_before_ampere(vertex, link_class) &&
         std::ranges::none_of(gpus, [&](int other) {
           return other != gpu && level_between(*topology_, gpu, other) == PathLevel::nvl;
         });
}

}  // namespace ringcast
