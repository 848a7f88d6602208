#include "topology/transfers/near_nics.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "topology/cluster/index.hpp"
#include "topology/transfers/nccl_links.hpp"
#include "topology/transfers/path_level.hpp"

namespace ringcast::detail {
namespace {

struct NodeRates {
  /// The rate of its slowest cable between sockets, root complexes and PCIe switches.
  double inner = std::numeric_limits<double>::infinity();
  std::vector<int> nics = {};        // in the network
  std::vector<double> network = {};  // of each NIC
};

bool is_inner(const Vertex& vertex) {
  return vertex.kind == VertexKind::cpu || vertex.kind == VertexKind::root_complex ||
         vertex.kind == VertexKind::pcie_switch;
}

std::vector<NodeRates> rates_of_nodes(const Topology& topology, NcclVersion version) {
  const Cluster& cluster = topology.cluster();
  std::vector<NodeRates> nodes;
  const auto node_of = [&](const Vertex& vertex) -> NodeRates& {
    nodes.resize(std::max(nodes.size(), index(vertex.node) + 1));
    return nodes[index(vertex.node)];
  };
  for (std::size_t i = 0; i < cluster.cables.size(); ++i) {
    const Cable& cable = cluster.cables[i];
    const LinkId link{static_cast<int>(2 * i)};
    const Vertex& a = cluster.vertex(cable.a);
    const Vertex& b = cluster.vertex(cable.b);
    const auto rate = [&] { return search_link_rate(topology, link, version); };
    if (is_inner(a) && is_inner(b)) {
      node_of(a).inner = std::min(node_of(a).inner, rate());
    }
    for (const auto& [nic, end] : {std::pair{cable.a, &b}, std::pair{cable.b, &a}}) {
      const Vertex& vertex = cluster.vertex(nic);
      if (vertex.kind != VertexKind::nic || end->node == vertex.node) continue;
      node_of(vertex).nics.push_back(nic);
      node_of(vertex).network.push_back(rate());
    }
  }
  return nodes;
}

/// The least rate of the links between two devices of a node.
double path_rate(const Topology& topology, int from, int to, NcclVersion version) {
  double least = std::numeric_limits<double>::infinity();
  for (const LinkId link : topology.route_between(from, to).links)
    least = std::min(least, search_link_rate(topology, link, version));
  return least;
}

}  // namespace

bool NearNics::matter_to(const TransportProfile& profile) {
  constexpr NcclVersion first_without{2, 28};
  return profile.tuner == Tuner::nccl && profile.network_in_node &&
         profile.nccl_version < first_without;
}

NearNics::NearNics(const Topology& topology, const TransportProfile& profile,
                   std::span<const int> places)
    : topology_{&topology}, version_{profile.nccl_version} {
  if (!matter_to(profile)) return;
  const std::vector<NodeRates> nodes = rates_of_nodes(topology, version_);
  for (const int gpu : places) {
    const Vertex& vertex = topology.cluster().vertex(gpu);
    const bool is_on_pcie = vertex.kind == VertexKind::gpu && !vertex.on_board;
    if (!is_on_pcie || index(vertex.node) >= nodes.size()) continue;
    const NodeRates& node = nodes[index(vertex.node)];
    for (std::size_t i = 0; i < node.nics.size(); ++i) {
      const int nic = node.nics[i];
      if (node.network[i] <= node.inner || level_between(topology, gpu, nic) > PathLevel::pxb)
        continue;
      const double rate = std::min(node.network[i], path_rate(topology, gpu, nic, version_));
      rates_[gpu] = std::max(rates_[gpu], rate);
    }
  }
}

bool NearNics::are_faster(int gpu, int other) const {
  const auto own = rates_.find(gpu);
  const auto others = rates_.find(other);
  if (own == rates_.end() || others == rates_.end()) return false;
  const double direct = path_rate(*topology_, gpu, other, version_);
  return own->second > direct && others->second > direct;
}

}  // namespace ringcast::detail
