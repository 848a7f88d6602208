#include "topology/routes/fabric_levels.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "topology/cluster/index.hpp"

namespace ringcast::detail {

namespace {

/// The fabric with each node of the cluster as one element, and each switch as another.
class FabricGraph {
 public:
  explicit FabricGraph(const Cluster& cluster)
      : cluster_{&cluster}, level_(cluster.vertices.size()) {
    element_.resize(cluster.vertices.size());
    std::iota(element_.begin(), element_.end(), 0);
    for (int at = 0; index(at) < element_.size(); ++at) {
      if (const int node = cluster.vertices[index(at)].node; node >= 0) {
        first_of_node_.resize(std::max(first_of_node_.size(), index(node) + 1), -1);
        int& first = first_of_node_[index(node)];
        first = first < 0 ? at : first;
        element_[index(at)] = first;
      }
    }
    for (std::size_t i = 0; i < cluster.cables.size(); ++i) {
      if (element_[index(cluster.cables[i].a)] != element_[index(cluster.cables[i].b)]) {
        cables_.push_back(i);
      }
    }
    group_ = element_;
    find_levels();
  }

  [[nodiscard]] int levels() const { return 1 + *std::ranges::max_element(level_); }

  /// Unites elements that cables between switches up to `level` connect; -1: that cables between
  /// nodes and switches connect.
  void join(int level) {
    for (const std::size_t i : cables_) {
      const Cable& cable = cluster_->cables[i];
      const int highest = std::max(level_[index(cable.a)], level_[index(cable.b)]);
      const bool at_node = is_node(cable.a) != is_node(cable.b);
      if (at_node || (!is_node(cable.a) && highest <= level)) {
        group_[index(root(element_[index(cable.a)]))] = root(element_[index(cable.b)]);
      }
    }
  }

  [[nodiscard]] std::vector<FabricGroup> groups(std::span<const int> nodes) {
    std::vector<FabricGroup> found;
    std::map<int, std::size_t> known;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const int group = root(first_of_node_[index(nodes[i])]);
      const auto [place, is_new] = known.try_emplace(group, found.size());
      if (is_new) {
        found.emplace_back();
      }
      found[place->second].nodes.push_back(i);
    }
    for (const std::size_t i : cables_) {
      const int a = root(element_[index(cluster_->cables[i].a)]);
      const int b = root(element_[index(cluster_->cables[i].b)]);
      for (const auto& [from, link] : {std::pair{a, 2 * i}, std::pair{b, 2 * i + 1}}) {
        if (const auto place = known.find(from); a != b && place != known.end()) {
          found[place->second].out.push_back(LinkId{static_cast<int>(link)});
        }
      }
    }
    return found;
  }

 private:
  [[nodiscard]] bool is_node(int vertex) const {
    return cluster_->vertices[index(vertex)].node >= 0;
  }

  /// Breadth first from the switches next to nodes.
  void find_levels() {
    std::ranges::fill(level_, -1);
    std::unordered_map<int, std::vector<int>> neighbours;  // of switches
    std::vector<int> reached;
    for (const std::size_t i : cables_) {
      const auto [a, b] = std::pair{cluster_->cables[i].a, cluster_->cables[i].b};
      for (const auto& [at, next] : {std::pair{a, b}, std::pair{b, a}}) {
        if (is_node(at)) {
          continue;
        }
        neighbours[at].push_back(next);
        if (is_node(next)) {
          reach(at, 0, reached);
        }
      }
    }
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const int next : neighbours[reached[i]]) {
        if (!is_node(next)) {
          reach(next, level_[index(reached[i])] + 1, reached);
        }
      }
    }
  }

  void reach(int at, int level, std::vector<int>& reached) {
    if (level_[index(at)] < 0) {
      level_[index(at)] = level;
      reached.push_back(at);
    }
  }

  int root(int at) {
    while (group_[index(at)] != at) {
      at = group_[index(at)] = group_[index(group_[index(at)])];
    }
    return at;
  }

  const Cluster* cluster_;
  std::vector<int> level_;    // of switches; -1 for others
  std::vector<int> element_;  // by vertex: itself, or the first vertex of its node
  std::vector<int> group_;    // union-find over elements
  std::vector<int> first_of_node_;
  std::vector<std::size_t> cables_;  // between elements
};

}  // namespace

std::vector<std::vector<FabricGroup>> fabric_levels(const Topology& topology,
                                                    std::span<const int> nodes) {
  if (nodes.size() < 2) return {};
  FabricGraph fabric{topology.cluster()};
  std::vector<std::vector<FabricGroup>> steps;
  std::size_t groups = nodes.size();
  for (int level = -1; level < fabric.levels() && groups > 1; ++level) {
    fabric.join(level);
    std::vector<FabricGroup> found = fabric.groups(nodes);
    const bool is_new = level < 0 || found.size() < groups;
    groups = found.size();
    if (is_new && groups > 1) {
      steps.push_back(std::move(found));
    }
  }
  return steps;
}

}  // namespace ringcast::detail
