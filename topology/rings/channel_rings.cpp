// The rings that NCCL builds for a job (nccl src/graph/search.cc, connect.cc), by a rule in place
// of its search.
//
// Within one node: node_rings.cpp. Between nodes, each ring enters a node at one GPU, visits the
// others and leaves at another, and so takes a network card in and one out. A ring of the node that
// is cut between two of its GPUs is such a path:
//
//   ring of the node 0 1 2 3, cut between 1 and 2:   card -> 2 3 0 1 -> card
//   or backwards                                     card -> 1 0 3 2 -> card
//
// Rings are added one by one. Each takes the cut that leaves the busiest link least busy, where
// both the hops within the node and those to the next node count; among equal cuts, one between
// GPUs that are near each other in the PCIe tree, since these have the same card. The number of
// rings is the one with the highest bandwidth.
//
// On n GPUs that are all linked with each other, n an even number, such cuts can use each link once
// in each direction only by luck. There Walecki's paths, which do by construction, are tried too:
// path k visits k, k+1, k-1, k+2, k-2, ... modulo n, so each GPU begins one and ends one.
//
//   n = 4:   0 1 3 2    1 2 0 3    2 3 1 0    3 0 2 1
//
// With an odd n these paths advance by each odd number below n twice, and the same paths backwards
// by each even one. So 2n paths use each link twice in each direction, and each GPU begins two and
// ends two. NCCL has no such rings; search_rings() asks for them.
//
// Every second node takes its paths backwards. So a ring leaves a node at the GPU of the same
// number at which it enters the next, and stays on one rail even if it takes two different cards of
// a node:
//
//   node 0:  card 0 -> 0 3 2 1 -> card 1     node 1:  card 1 -> 1 2 3 0 -> card 0     node 2: ...
//
// NCCL swaps the channels of such a pair in every second node for the same reason (connect.cc,
// crossNic 2). An odd number of nodes leaves one hop that crosses from rail to rail
// (close_over_third_rail()).
#include "topology/rings/channel_rings.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "topology/cluster/index.hpp"
#include "topology/rings/aligned_paths.hpp"
#include "topology/rings/job_nodes.hpp"
#include "topology/rings/node_rings.hpp"
#include "topology/rings/ring_load.hpp"

namespace ringcast {

namespace {

using detail::index;
using detail::JobNode;
using detail::LinkLoads;
using detail::NodePath;

/// The ranks of a node, and of those before and after it on the rings.
struct Place {
  const std::vector<Rank>& ranks;
  const std::vector<Rank>& previous;
  const std::vector<Rank>& next;
  bool backwards = false;  // takes its paths backwards
};

/// Where nodes differ a path has its real neighbours, so that nodes side by side find the same
/// cards busy. Otherwise its neighbours are all alike, and one stands for both.
Place place_at(const std::vector<JobNode>& nodes, std::size_t at) {
  const std::vector<Rank>& next = nodes[(at + 1) % nodes.size()].ranks;
  if (std::ranges::max(nodes, {}, &JobNode::shape).shape == 0) return {nodes[at].ranks, next, next};
  return {nodes[at].ranks, nodes[(at + nodes.size() - 1) % nodes.size()].ranks, next, at % 2 == 1};
}

/// Chooses the paths of rings through a node.
class NodePaths {
 public:
  /// `cards`: the network cards of the node, or the rings that may share them.
  NodePaths(const TransferPaths& paths, Place place, std::size_t cards, bool packed)
      : paths_{&paths},
        place_{place},
        // Without any, its GPUs are cabled to the fabric.
        cards_{cards > 0 ? cards : place.ranks.size()},
        packed_{packed},
        rings_{detail::node_rings(paths, place.ranks)} {}

  /// `loads`: none, and none afterwards.
  [[nodiscard]] std::vector<NodePath> choose(LinkLoads& loads) const {
    if (packed_ && place_.ranks.size() <= most_linked_gpus) {
      return zigzags();
    }
    Choice best = choose_from(cut_rings(), loads);
    if (place_.ranks.size() % 2 == 0 && place_.ranks.size() <= most_linked_gpus) {
      if (Choice other = choose_from(zigzags(), loads); other.rate > 1.001 * best.rate) {
        best = std::move(other);
      }
    }
    return std::move(best.paths);
  }

 private:
  /// NVLinks of one GPU, of the most there have been.
  static constexpr std::size_t most_linked_gpus = 18;

  struct Choice {
    std::vector<NodePath> paths;
    double rate = 0;
  };

  /// Takes the first of equal candidates.
  [[nodiscard]] Choice choose_from(const std::vector<NodePath>& candidates,
                                   LinkLoads& loads) const {
    const std::size_t most = std::max(rings_.size(), cards_);
    std::vector<NodePath> chosen;
    Choice best;
    while (chosen.size() < most) {
      chosen.push_back(add_least_busy(candidates, loads));
      const double rate = static_cast<double>(chosen.size()) / loads.slowest();
      if (rate > 1.001 * best.rate) best = {chosen, rate};
    }
    for (const NodePath& path : chosen) {
      add_ring(path, loads, -1);
    }
    return best;
  }

  /// The rings of the node, cut anywhere, those with the nearest ends first.
  [[nodiscard]] std::vector<NodePath> cut_rings() const {
    std::vector<std::pair<std::ptrdiff_t, NodePath>> found;
    for (const std::vector<Rank>& ring : rings_) {
      NodePath path;
      for (const Rank rank : ring) {
        path.push_back(
            static_cast<int>(std::ranges::find(place_.ranks, rank) - place_.ranks.begin()));
      }
      for (std::size_t cut = 0; cut < path.size(); ++cut) {
        found.emplace_back(nearness(path), path);
        found.emplace_back(found.back().first, NodePath{path.rbegin(), path.rend()});
        std::rotate(path.begin(), path.begin() + 1, path.end());
      }
    }
    std::ranges::stable_sort(found, std::ranges::greater{},
                             [](const auto& each) { return each.first; });
    std::vector<NodePath> candidates;
    candidates.reserve(found.size());
    for (auto& [near, path] : found) {
      candidates.push_back(std::move(path));
    }
    return candidates;
  }

  /// Walecki's paths, of an odd number of GPUs backwards as well.
  [[nodiscard]] std::vector<NodePath> zigzags() const {
    const int n = static_cast<int>(place_.ranks.size());
    std::vector<NodePath> candidates(index(n));
    for (int first = 0; first < n; ++first) {
      for (int step = 0; step < n; ++step) {
        const int offset = step % 2 == 1 ? (step + 1) / 2 : n - step / 2;
        candidates[index(first)].push_back((first + offset) % n);
      }
    }
    for (int i = 0; n % 2 == 1 && i < n; ++i) {
      candidates.emplace_back(candidates[index(i)].rbegin(), candidates[index(i)].rend());
    }
    return candidates;
  }

  /// The number of vertices of the PCIe tree above both ends of a path.
  [[nodiscard]] std::ptrdiff_t nearness(const NodePath& path) const {
    const std::vector<int> a = detail::tree_path(*paths_, place_.ranks[index(path.front())]);
    const std::vector<int> b = detail::tree_path(*paths_, place_.ranks[index(path.back())]);
    return std::ranges::mismatch(a, b).in1 - a.begin();
  }

  void add_ring(const NodePath& path, LinkLoads& loads, int messages) const {
    const auto rank = [](const std::vector<Rank>& ranks, int position) {
      return ranks[index(position) % ranks.size()];
    };
    for (std::size_t i = 1; i < path.size(); ++i) {
      loads.add(rank(place_.ranks, path[i - 1]), rank(place_.ranks, path[i]), messages);
    }
    const auto& [own, previous, next, backwards] = place_;
    const auto& [from_back, to_back] = backwards ? std::tie(previous, own) : std::tie(own, next);
    const auto& [from_front, to_front] = backwards ? std::tie(own, next) : std::tie(previous, own);
    loads.add(rank(from_back, path.back()), rank(to_back, path.back()), messages);
    loads.add(rank(from_front, path.front()), rank(to_front, path.front()), messages);
  }

  /// Adds the ring that leaves the busiest link least busy.
  NodePath add_least_busy(const std::vector<NodePath>& candidates, LinkLoads& loads) const {
    const NodePath* best = nullptr;
    double slowest = 0;
    double squares = 0;
    for (const NodePath& path : candidates) {
      add_ring(path, loads, 1);
      const auto below = [](double a, double b) { return a < b * (1 - 1e-9); };
      const bool ties = best != nullptr && !below(slowest, loads.slowest());
      if (best == nullptr || below(loads.slowest(), slowest) ||
          (ties && below(loads.squares(), squares))) {
        best = &path;
        slowest = loads.slowest();
        squares = loads.squares();
      }
      add_ring(path, loads, -1);
    }
    add_ring(*best, loads, 1);
    return *best;
  }

  const TransferPaths* paths_;
  Place place_;
  std::size_t cards_;
  bool packed_;
  std::vector<std::vector<Rank>> rings_;
};

/// The number of network cards of each node.
std::vector<std::size_t> cards_of_nodes(const Cluster& cluster) {
  std::vector<std::size_t> cards;
  for (const Vertex& vertex : cluster.vertices) {
    if (vertex.node >= 0) {
      cards.resize(std::max(cards.size(), index(vertex.node) + 1));
      cards[index(vertex.node)] += vertex.kind == VertexKind::nic ? 1 : 0;
    }
  }
  return cards;
}

/// All ranks node by node: for a job without GPUs.
RingOrder ring_by_node(const std::vector<JobNode>& nodes) {
  std::vector<Rank> order;
  for (const JobNode& node : nodes) {
    order.insert(order.end(), node.ranks.begin(), node.ranks.end());
  }
  return RingOrder{std::move(order)};
}

}  // namespace

std::vector<std::vector<std::vector<Rank>>> detail::node_paths(const TransferPaths& paths,
                                                               const std::vector<JobNode>& nodes,
                                                               NodePathChoice from) {
  const std::vector<std::size_t> cards = cards_of_nodes(paths.topology().cluster());
  LinkLoads loads{paths};  // one for all shapes: it is as large as the cluster
  std::map<int, std::vector<NodePath>> known;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto [found, is_new] = known.try_emplace(nodes[i].shape);
    if (is_new) {
      found->second = NodePaths{paths, place_at(nodes, i),
                                from.rings_per_card * cards[index(nodes[i].node)], from.packed}
                          .choose(loads);
    }
  }
  const auto count = [](const auto& shape) { return shape.second.size(); };
  const auto [fewest, most] = std::ranges::minmax_element(known, {}, count);
  const std::size_t channels = count(from.repeated ? *most : *fewest);
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
  return rings;
}

std::vector<RingOrder> channel_rings(const TransferPaths& paths) {
  const std::vector<JobNode> nodes = detail::job_nodes(paths);
  for (const int place : paths.places()) {
    if (paths.topology().cluster().vertices[index(place)].kind != VertexKind::gpu) {
      return {ring_by_node(nodes)};
    }
  }
  std::vector<RingOrder> orders;
  if (nodes.size() == 1) {
    for (std::vector<Rank>& ring : detail::node_rings(paths, nodes.front().ranks)) {
      orders.emplace_back(std::move(ring));
    }
    return orders;
  }
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
