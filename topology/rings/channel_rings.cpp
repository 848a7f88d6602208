// The rings that NCCL builds for a job (nccl src/graph/search.cc, connect.cc), by a rule in place
// of its search.
//
// Within one node: node_rings.cpp. Between nodes, each ring enters a node at one GPU, visits the
// others and leaves at another, so it uses one NIC in and one out. A ring of the node that
// is cut between two of its GPUs is such a path:
//
//   ring of the node 0 1 2 3, cut between 1 and 2:   NIC -> 2 3 0 1 -> NIC
//   or backwards                                     NIC -> 1 0 3 2 -> NIC
//
// node_path_choice.cpp chooses them. The node with the fewest paths determines their number.
//
// Every second node reverses its paths. So a ring leaves a node at the GPU of the same number at
// which it enters the next, and every hop stays on one rail even if the ring uses two NICs of a
// node:
//
//   node 0:  NIC 0 -> 0 3 2 1 -> NIC 1     node 1:  NIC 1 -> 1 2 3 0 -> NIC 0     node 2: ...
//
// NCCL swaps the channels of such a pair in every second node for the same reason (connect.cc,
// crossNic 2). An odd number of nodes leaves one hop that crosses from rail to rail
// (close_over_third_rail()).
#include "topology/rings/channel_rings.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "topology/cluster/index.hpp"
#include "topology/links/link_class.hpp"
#include "topology/rings/aligned_paths.hpp"
#include "topology/rings/job_nodes.hpp"
#include "topology/rings/node_path_choice.hpp"
#include "topology/rings/node_rings.hpp"
#include "topology/rings/ring_load.hpp"

namespace ringcast {

namespace {

using detail::CountedLinks;
using detail::index;
using detail::JobNode;
using detail::LinkLoads;
using detail::NodePath;
using detail::Place;

/// If nodes differ, a path has its actual neighbours, so that adjacent nodes count the load of the
/// same NICs. Otherwise all neighbours are equal, and one represents both.
Place place_at(const std::vector<JobNode>& nodes, std::size_t at) {
  const std::vector<Rank>& next = nodes[(at + 1) % nodes.size()].ranks;
  if (std::ranges::max(nodes, {}, &JobNode::shape).shape == 0) return {nodes[at].ranks, next, next};
  return {nodes[at].ranks, nodes[(at + nodes.size() - 1) % nodes.size()].ranks, next, at % 2 == 1,
          true};
}

/// The number of NICs of each node.
std::vector<std::size_t> nics_of_nodes(const Cluster& cluster) {
  std::vector<std::size_t> nics;
  for (const Vertex& vertex : cluster.vertices) {
    if (vertex.node >= 0) {
      nics.resize(std::max(nics.size(), index(vertex.node) + 1));
      nics[index(vertex.node)] += vertex.kind == VertexKind::nic ? 1 : 0;
    }
  }
  return nics;
}

/// All ranks node by node: for a job without GPUs.
RingOrder ring_by_node(const std::vector<JobNode>& nodes) {
  std::vector<Rank> order;
  for (const JobNode& node : nodes) {
    order.insert(order.end(), node.ranks.begin(), node.ranks.end());
  }
  return RingOrder{std::move(order)};
}

/// Rings of one node whose hops differ begin after one of the longest. The chains of their trees
/// leave it out, as those that NCCL searches, and each such pair of ranks as seldom as others:
///
///   two bridged pairs  0=1-2=3-0    and backwards  0-3=2-1=0
///   their chains       0=1-2=3                     1=0-3=2
void begin_after_longest_hops(std::vector<std::vector<Rank>>& rings, const TransferPaths& paths) {
  using Hop = std::pair<Rank, Rank>;  // in either direction
  std::map<Hop, int> left_out;
  const auto level_of = [&](const Hop& hop) { return paths.between(hop.first, hop.second).level; };
  for (std::vector<Rank>& ring : rings) {
    if (ring.size() < 3) continue;
    std::vector<Hop> hops;  // to each rank
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const Rank before = ring[(i + ring.size() - 1) % ring.size()];
      hops.emplace_back(std::min(before, ring[i]), std::max(before, ring[i]));
    }
    const auto [shortest, longest] = std::ranges::minmax(hops, {}, level_of);
    if (level_of(shortest) == level_of(longest)) continue;
    const auto chosen = std::ranges::min_element(hops, {}, [&, most = level_of(longest)](Hop hop) {
      return std::pair{level_of(hop) != most, left_out[hop]};
    });
    ++left_out[*chosen];
    std::rotate(ring.begin(), ring.begin() + (chosen - hops.begin()), ring.end());
  }
}

/// Over the NVLinks of another GPU (PXN) NCCL sends to a NIC, but does not receive from it. So a
/// path with one end near a NIC begins there, and is not reversed:
///
///   node 0:  NIC -> 0 1 2 3 -> 0 -> NIC     node 1:  NIC -> 0 1 2 3 -> 0 -> NIC
void enter_near_nics(const TransferPaths& paths, std::vector<std::vector<Rank>>& nodes) {
  if (nodes.size() < 2) return;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::vector<Rank>& path = nodes[i];
    const Rank before = nodes[(i + nodes.size() - 1) % nodes.size()].back();
    const Rank after = nodes[(i + 1) % nodes.size()].front();
    if (path.size() > 1 && paths.between(before, path.front()).staged_by_receiver &&
        !paths.between(before, path.back()).staged_by_receiver &&
        !paths.between(path.front(), after).staged_by_sender) {
      std::ranges::reverse(path);
    }
  }
}

}  // namespace

bool detail::is_part_of_mesh(const TransferPaths& paths) {
  const int ranks = paths.ranks();
  if (ranks < 3 || ranks > 7 || ranks == 4 || paths.profile().tuner != Tuner::rccl) return false;
  const auto is_of_eight = [](std::string_view link_class) {
    return is_xgmi_mesh(link_class) && link_class != "xgmi-mi300a";
  };
  return job_nodes(paths).size() == 1 &&
         std::ranges::any_of(paths.topology().cluster().cables, is_of_eight, &Cable::base_class);
}

std::vector<std::vector<std::vector<Rank>>> detail::node_paths(const TransferPaths& paths,
                                                               const std::vector<JobNode>& nodes,
                                                               NodePathChoice from) {
  const std::vector<std::size_t> nics = nics_of_nodes(paths.topology().cluster());
  // One for all shapes: it is as large as the cluster.
  LinkLoads loads{paths, from.searched ? CountedLinks::all : CountedLinks::of_nodes};
  std::map<int, std::vector<NodePath>> known;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto [found, is_new] = known.try_emplace(nodes[i].shape);
    if (is_new) {
      found->second = detail::choose_node_paths(paths, place_at(nodes, i),
                                                from.rings_per_nic * nics[index(nodes[i].node)],
                                                from.packed, loads);
    }
  }
  const auto count = [](const auto& shape) { return shape.second.size(); };
  const auto [fewest, most] = std::ranges::minmax_element(known, {}, count);
  const std::size_t channels = count(from.searched ? *most : *fewest);
  align_paths(known);
  std::vector<std::vector<std::vector<Rank>>> rings(channels);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::vector<NodePath>& chosen = known.at(nodes[i].shape);
      std::vector<Rank>& path = rings[channel].emplace_back();
      for (const int position : chosen[channel]) {
        path.push_back(nodes[i].ranks[index(position)]);
      }
      if (i % 2 == 1) {
        std::ranges::reverse(path);
      }
    }
  }
  close_over_third_rail(paths, rings);
  for (std::vector<std::vector<Rank>>& ring : rings)
    enter_near_nics(paths, ring);
  return rings;
}

std::vector<RingOrder> channel_rings(const TransferPaths& paths) {
  const std::vector<JobNode> nodes = detail::job_nodes(paths);
  for (const int place : paths.places()) {
    if (paths.topology().cluster().vertices[index(place)].kind != VertexKind::gpu) {
      return {ring_by_node(nodes)};
    }
  }
  if (nodes.size() == 1) {
    std::vector<std::vector<Rank>> rings = detail::node_rings(paths, nodes.front().ranks);
    if (detail::is_part_of_mesh(paths)) {
      rings.resize(std::min(rings.size(), std::size_t{paths.ranks() == 3 ? 2U : 1U}));
    }
    begin_after_longest_hops(rings, paths);
    return {std::make_move_iterator(rings.begin()), std::make_move_iterator(rings.end())};
  }
  std::vector<RingOrder> orders;
  for (const std::vector<std::vector<Rank>>& ring : detail::node_paths(paths, nodes)) {
    std::vector<Rank> order;
    for (const std::vector<Rank>& path : ring) {
      order.insert(order.end(), path.begin(), path.end());
    }
    orders.emplace_back(std::move(order));
  }
  return orders;
}

}  // namespace ringcast
