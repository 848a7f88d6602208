#include "topology/transfers/gpudirect.hpp"

#include <algorithm>

#include "topology/cluster/index.hpp"
#include "topology/links/link_class.hpp"
#include "topology/transfers/path_level.hpp"

namespace ringcast {
namespace {

bool is_before_ampere(const GpuModel* model, std::string_view link_class) {
  if (model != nullptr) return !model->is_amd() && model->capability < 80;
  const std::optional<int> pcie = pcie_generation(link_class);
  return pcie && *pcie <= 3;
}

}  // namespace

GpuDirect::GpuDirect(const Topology& topology, std::span<const int> places) : topology_{&topology} {
  GpuModels models;
  for (const int place : places) {
    const Vertex& vertex = topology.cluster().vertex(place);
    if (vertex.kind != VertexKind::gpu) continue;
    const std::size_t number = detail::index(vertex.node);
    nodes_.resize(std::max(nodes_.size(), number + 1));
    Node& node = nodes_[number];
    if (node.gpus.empty()) node.model = models.find(vertex.gpu);
    node.gpus.push_back(place);
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
         (!counted || nodes_[detail::index(vertex.node)].gpus.size() <= 2) &&
         reaches(profile.p2p_amd_pairs, level);
}

bool GpuDirect::has_rdma(int gpu, PathLevel level, std::optional<PathLevel> allowed) const {
  return topology_->cluster().vertex(gpu).gpudirect && reaches(allowed, level);
}

bool GpuDirect::stages_sends(int gpu, std::string_view link_class) const {
  const Node& node = nodes_[detail::index(topology_->cluster().vertex(gpu).node)];
  return node.gpus.size() > 1 && is_before_ampere(node.model, link_class) &&
         std::ranges::none_of(node.gpus, [&](int other) {
           return other != gpu && level_between(*topology_, gpu, other) == PathLevel::nvl;
         });
}

}  // namespace ringcast
