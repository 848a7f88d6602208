// A greedy choice: paths through a node are added one by one. Each is the cut of a ring that leaves
// the busiest link least busy, counting the hops within the node and those to its neighbours; among
// equal cuts, one between GPUs that are near each other in the PCIe tree, since these share a NIC.
// The number of paths is the one with the highest bandwidth.
//
// The greedy choice may leave only one GPU free as an end, where no path fits. So if nodes differ,
// each candidate is tried as the first path, those between GPUs with the nearest NICs first, and
// each path is chosen again in view of the later ones, until n paths have n times the rate of one.
//
// On n fully connected GPUs, n even, such cuts rarely use each link once in each direction.
// Walecki's paths do so by construction and are tried, too: path k visits k, k+1, k-1, k+2, k-2,
// ... modulo n, so each GPU begins one path and ends one.
//
//   n = 4:   0 1 3 2    1 2 0 3    2 3 1 0    3 0 2 1
//
// If n is odd, the steps of these paths are each odd number below n twice, and those of the
// reversed paths each even one. So 2n paths use each link twice in each direction, and each GPU
// begins two and ends two. NCCL has no such rings; search_rings() asks for them.
#include "topology/rings/node_path_choice.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "topology/cluster/index.hpp"
#include "topology/rings/node_rings.hpp"

namespace ringcast::detail {
namespace {

/// The most NVLinks of any GPU so far.
constexpr std::size_t most_linked_gpus = 18;
constexpr double better = 1.001;

/// Modulo: nodes that the job uses in part have fewer ranks.
Rank rank_at(const std::vector<Rank>& ranks, int position) {
  return ranks[index(position) % ranks.size()];
}

class NodePathChooser {
 public:
  NodePathChooser(const TransferPaths& paths, Place place, std::size_t nics, bool packed);

  [[nodiscard]] std::vector<NodePath> choose(LinkLoads& loads) const;

 private:
  struct Choice {
    std::vector<NodePath> paths;
    double rate = 0;
    bool scales = false;  // n paths have n times the rate of one
  };

  [[nodiscard]] Choice choose_from(std::vector<NodePath> candidates, LinkLoads& loads) const;
  [[nodiscard]] Choice add_to_each(const std::vector<NodePath>& candidates, LinkLoads& loads) const;
  [[nodiscard]] Choice add_to(const NodePath& first, const std::vector<NodePath>& candidates,
                              LinkLoads& loads) const;
  void choose_again(std::vector<NodePath>& chosen, const std::vector<NodePath>& candidates,
                    LinkLoads& loads) const;
  [[nodiscard]] static bool is_better(const Choice& one, const Choice& other);
  /// If nodes differ, and are small enough for many trials.
  [[nodiscard]] bool tries_others() const {
    return place_.nodes_differ && place_.ranks.size() <= most_linked_gpus;
  }
  /// By the level and the links on the way to the next node.
  [[nodiscard]] std::pair<PathLevel, std::ptrdiff_t> distance_to_nic(int position,
                                                                     const LinkLoads& loads) const;
  [[nodiscard]] std::vector<NodePath> cut_rings() const;
  [[nodiscard]] std::vector<NodePath> walecki_paths() const;
  [[nodiscard]] std::ptrdiff_t nearness(const NodePath& path) const;
  void add_ring(const NodePath& path, LinkLoads& loads, int messages) const;
  [[nodiscard]] NodePath add_least_busy(const std::vector<NodePath>& candidates,
                                        LinkLoads& loads) const;

  const TransferPaths* paths_;
  Place place_;
  std::size_t nics_;
  bool packed_;
  std::vector<std::vector<Rank>> rings_;
};

NodePathChooser::NodePathChooser(const TransferPaths& paths, Place place, std::size_t nics,
                                 bool packed)
    : paths_{&paths},
      place_{place},
      // Without any, its GPUs are cabled to the fabric.
      nics_{nics > 0 ? nics : place.ranks.size()},
      packed_{packed},
      rings_{node_rings(paths, place.ranks)} {}

std::vector<NodePath> NodePathChooser::choose(LinkLoads& loads) const {
  const std::size_t gpus = place_.ranks.size();
  if (packed_ && gpus <= most_linked_gpus) return walecki_paths();
  Choice best = choose_from(cut_rings(), loads);
  if (gpus % 2 == 0 && gpus <= most_linked_gpus) {
    Choice other = choose_from(walecki_paths(), loads);
    if (other.rate > better * best.rate) best = std::move(other);
  }
  return std::move(best.paths);
}

/// Sorts the candidates by the distance of their NICs, then adds paths.
NodePathChooser::Choice NodePathChooser::choose_from(std::vector<NodePath> candidates,
                                                     LinkLoads& loads) const {
  const auto distance = [&](const NodePath& path) {
    return std::max(distance_to_nic(path.front(), loads), distance_to_nic(path.back(), loads));
  };
  std::ranges::stable_sort(candidates, {}, distance);
  if (!tries_others()) return add_to({}, candidates, loads);
  const auto farther =
      std::ranges::upper_bound(candidates, distance(candidates.front()), {}, distance);
  Choice best = add_to_each({candidates.begin(), farther}, loads);
  if (farther == candidates.end()) return best;
  const bool uses_all = best.scales && best.paths.size() >= nics_;
  Choice other = uses_all ? add_to({}, candidates, loads) : add_to_each(candidates, loads);
  return other.rate > better * best.rate ? other : best;
}

/// Between two equally fast choices, one that scales is better: a part of its paths is fast, too.
bool NodePathChooser::is_better(const Choice& one, const Choice& other) {
  return one.rate > better * other.rate || (one.scales && better * one.rate > other.rate);
}

/// Tries each candidate as the first path.
NodePathChooser::Choice NodePathChooser::add_to_each(const std::vector<NodePath>& candidates,
                                                     LinkLoads& loads) const {
  Choice best = add_to({}, candidates, loads);
  for (const NodePath& first : candidates) {
    if (best.scales) break;
    Choice other = add_to(first, candidates, loads);
    if (is_better(other, best)) best = std::move(other);
  }
  return best;
}

/// The greedy choice, beginning with the path `first` unless that is empty.
NodePathChooser::Choice NodePathChooser::add_to(const NodePath& first,
                                                const std::vector<NodePath>& candidates,
                                                LinkLoads& loads) const {
  std::vector<NodePath> chosen;
  Choice best;
  double alone = 0;
  const auto rate = [&] { return static_cast<double>(chosen.size()) / loads.slowest(); };
  const auto scales = [&] { return better * rate() > static_cast<double>(chosen.size()) * alone; };
  const std::size_t most = std::max(rings_.size(), nics_);
  while (chosen.size() < most) {
    if (chosen.empty() && !first.empty()) {
      chosen.push_back(first);
      add_ring(first, loads, 1);
    } else {
      chosen.push_back(add_least_busy(candidates, loads));
    }
    if (chosen.size() == 1) alone = rate();
    if (!scales() && tries_others()) choose_again(chosen, candidates, loads);
    if (rate() > better * best.rate) best = {chosen, rate(), scales()};
  }
  for (const NodePath& path : chosen)
    add_ring(path, loads, -1);
  return best;
}

void NodePathChooser::choose_again(std::vector<NodePath>& chosen,
                                   const std::vector<NodePath>& candidates,
                                   LinkLoads& loads) const {
  for (NodePath& path : chosen) {
    add_ring(path, loads, -1);
    path = add_least_busy(candidates, loads);
  }
}

/// The rings of the node, cut anywhere, those with the nearest ends first.
std::vector<NodePath> NodePathChooser::cut_rings() const {
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
  for (auto& [near, path] : found)
    candidates.push_back(std::move(path));
  return candidates;
}

/// Walecki's paths, and for an odd number of GPUs their reverses.
std::vector<NodePath> NodePathChooser::walecki_paths() const {
  const int n = static_cast<int>(place_.ranks.size());
  std::vector<NodePath> candidates(index(n));
  for (int first = 0; first < n; ++first) {
    for (int step = 0; step < n; ++step) {
      const int offset = step % 2 == 1 ? (step + 1) / 2 : n - step / 2;
      candidates[index(first)].push_back((first + offset) % n);
    }
  }
  for (int i = 0; n % 2 == 1 && i < n; ++i)
    candidates.emplace_back(candidates[index(i)].rbegin(), candidates[index(i)].rend());
  return candidates;
}

std::pair<PathLevel, std::ptrdiff_t> NodePathChooser::distance_to_nic(
    int position, const LinkLoads& loads) const {
  const TransferPath& path =
      paths_->between(rank_at(place_.ranks, position), rank_at(place_.next, position));
  const auto counts = [&](LinkId link) { return loads.counts(link); };
  return {path.level, std::ranges::count_if(path.main.links, counts)};
}

/// The number of vertices of the PCIe tree above both ends of a path.
std::ptrdiff_t NodePathChooser::nearness(const NodePath& path) const {
  const std::vector<int> a = tree_path(*paths_, place_.ranks[index(path.front())]);
  const std::vector<int> b = tree_path(*paths_, place_.ranks[index(path.back())]);
  return std::ranges::mismatch(a, b).in1 - a.begin();
}

void NodePathChooser::add_ring(const NodePath& path, LinkLoads& loads, int messages) const {
  for (std::size_t i = 1; i < path.size(); ++i) {
    const auto [from, to] = place_.backwards ? std::pair{i, i - 1} : std::pair{i - 1, i};
    loads.add(rank_at(place_.ranks, path[from]), rank_at(place_.ranks, path[to]), messages);
  }
  const auto& [own, previous, next, backwards, nodes_differ] = place_;
  const auto& [from_back, to_back] = backwards ? std::tie(previous, own) : std::tie(own, next);
  const auto& [from_front, to_front] = backwards ? std::tie(own, next) : std::tie(previous, own);
  loads.add(rank_at(from_back, path.back()), rank_at(to_back, path.back()), messages);
  loads.add(rank_at(from_front, path.front()), rank_at(to_front, path.front()), messages);
}

/// Adds the ring that leaves the busiest link least busy.
NodePath NodePathChooser::add_least_busy(const std::vector<NodePath>& candidates,
                                         LinkLoads& loads) const {
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

}  // namespace

std::vector<NodePath> choose_node_paths(const TransferPaths& paths, Place place, std::size_t nics,
                                        bool packed, LinkLoads& loads) {
  return NodePathChooser{paths, place, nics, packed}.choose(loads);
}

}  // namespace ringcast::detail
