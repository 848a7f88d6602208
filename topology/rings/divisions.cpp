// The flows of a node are those of its transfer paths (transfer_network.hpp); nodes of one shape
// are computed once. In the fabric the parties are the groups of fabric_levels.hpp, whose capacity
// is that of the cables between them, and the two sides of its narrowest cut.
#include "topology/rings/divisions.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "topology/rings/cut_text.hpp"
#include "topology/rings/fabric_cuts.hpp"
#include "topology/rings/node_rings.hpp"
#include "topology/rings/remote_ranks.hpp"
#include "topology/rings/transfer_network.hpp"
#include "topology/routes/fabric_levels.hpp"

namespace ringcast::detail {

namespace {

bool is_limited(const TransferCut& cut) {
  return cut.capacity.value() < static_cast<double>(FlowNetwork::unlimited);
}

class Divisions {
 public:
  Divisions(const TransferPaths& paths, const BoundedRings& bounded)
      : paths_{&paths}, bounded_{&bounded}, nodes_{job_nodes(paths)}, remote_{paths, nodes_} {
    add_cuts_of_nodes();
    add_devices();
    if (nodes_.size() > 1) {
      add_nodes();
      add_fabric();
    }
  }

  [[nodiscard]] const std::vector<Division>& found() const { return found_; }

 private:
  [[nodiscard]] TransferCut outgoing(std::size_t node, const std::vector<int>& group_of) const {
    return outgoing_transfers(*paths_, nodes_[node].ranks, remote_.of(node), group_of, *bounded_);
  }

  /// One node of each shape, by its position.
  [[nodiscard]] std::map<int, std::size_t> examples() const {
    std::map<int, std::size_t> found;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      found.try_emplace(nodes_[i].shape, i);
    }
    return found;
  }

  void add_cuts_of_nodes() {
    for (const auto& [shape, node] : examples()) {
      if (const std::optional<TransferCut> cut =
              narrowest_cut(*paths_, nodes_[node].ranks, remote_.of(node), *bounded_);
          cut && is_limited(*cut)) {
        found_.push_back({2, 2 * cut->capacity.value(), describe(paths_->topology(), *cut)});
      }
    }
  }

  /// The group of each rank of a node: ranks of a group have the same first `depth` vertices in
  /// their tree paths.
  [[nodiscard]] std::vector<int> groups_at(std::size_t node, std::size_t depth) const {
    std::map<std::vector<int>, int> known;
    std::vector<int> group_of;
    for (const Rank rank : nodes_[node].ranks) {
      std::vector<int> path = tree_path(*paths_, rank);
      const bool alone = depth > path.size();
      path.resize(std::min(depth, path.size()));
      if (alone) {
        path.push_back(-1 - static_cast<int>(index_of(rank)));
      }
      group_of.push_back(known.try_emplace(path, static_cast<int>(known.size())).first->second);
    }
    return group_of;
  }

  /// Parties within all nodes: the ranks of sockets, of PCIe switches, ..., finally single ranks.
  void add_devices() {
    std::size_t deepest = 0;
    for (const auto& [shape, node] : examples()) {
      for (const Rank rank : nodes_[node].ranks) {
        deepest = std::max(deepest, tree_path(*paths_, rank).size());
      }
    }
    double last = 1;
    for (std::size_t depth = 1; depth <= deepest + 1; ++depth) {
      Division all = devices_of_all(depth);
      if (all.is_limited && all.parties > last) {
        last = all.parties;
        found_.push_back(std::move(all));
      }
    }
  }

  [[nodiscard]] Division devices_of_all(std::size_t depth) const {
    std::map<int, Division> of_shape;
    Division all;
    for (const JobNode& node : nodes_) {
      const auto [known, is_new] = of_shape.try_emplace(node.shape);
      if (is_new) {
        known->second = devices_of(static_cast<std::size_t>(&node - nodes_.data()), depth);
      }
      all.parties += known->second.parties;
      all.rate += known->second.rate;
      all.is_limited = all.is_limited && known->second.is_limited;
    }
    const bool ranks = all.parties == paths_->ranks();
    all.reason = fmt::format("all {} {} together ({}: {})", all.parties,
                             ranks ? "ranks" : "groups of ranks in their nodes",
                             of_shape.begin()->second.reason, to_text(BytesPerSecond{all.rate}));
    return all;
  }

  [[nodiscard]] Division devices_of(std::size_t node, std::size_t depth) const {
    const std::vector<int> group_of = groups_at(node, depth);
    const TransferCut cut = outgoing(node, group_of);
    return {1.0 + *std::ranges::max_element(group_of), cut.capacity.value(),
            classes_of(paths_->topology(), cut.links) + (nodes_.size() > 1 ? " per node" : ""),
            is_limited(cut)};
  }

  void add_nodes() {
    std::map<int, TransferCut> of_shape;
    std::vector<std::pair<double, std::string>> capacities;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const auto [known, is_new] = of_shape.try_emplace(nodes_[i].shape);
      if (is_new) {
        known->second = outgoing(i, std::vector<int>(nodes_[i].ranks.size(), 0));
      }
      capacities.emplace_back(known->second.capacity.value(),
                              describe(paths_->topology(), known->second));
    }
    add_unequal(std::move(capacities), "nodes");
  }

  void add_fabric() {
    const Topology& topology = paths_->topology();
    const std::vector<std::vector<FabricGroup>> levels =
        fabric_levels(topology, numbers_of(nodes_));
    if (!levels.empty()) {
      std::vector<std::size_t> nodes;  // of each smallest group, one
      for (const FabricGroup& group : levels.front()) {
        nodes.push_back(group.nodes.front());
      }
      if (const auto cut = narrowest_fabric_cut(topology, nodes_, nodes, *bounded_)) {
        found_.push_back({2, 2 * cut->capacity.value(), describe(topology, *cut)});
      }
    }
    for (const std::vector<FabricGroup>& groups : levels) {
      std::vector<std::pair<double, std::string>> capacities;
      for (const FabricGroup& group : groups) {
        double rate = 0;
        for (const LinkId link : group.out) {
          rate += bounded_->rate_over(topology.links()[index_of(link)].bandwidth);
        }
        capacities.emplace_back(rate, describe(topology, {BytesPerSecond{rate}, group.out}));
      }
      add_unequal(std::move(capacities), "groups of nodes");
    }
  }

  /// For each i, the i parties with the lowest capacities, and all others as one more party.
  void add_unequal(std::vector<std::pair<double, std::string>> capacities, std::string_view what) {
    std::ranges::stable_sort(capacities, {}, [](const auto& each) { return each.first; });
    double sum = 0;
    for (const auto& [rate, reason] : capacities) {
      sum += rate;
    }
    double lowest = 0;
    for (std::size_t i = 1; i <= capacities.size(); ++i) {
      lowest += capacities[i - 1].first;
      const bool rest = i < capacities.size();
      const double parties = static_cast<double>(i) + (rest ? 1 : 0);
      const double rate = std::min(sum, lowest + (rest ? lowest : 0));
      const auto& narrowest = capacities.front().second;
      found_.push_back({parties, rate,
                        i == 1 ? narrowest
                               : fmt::format("{} send each other {} at most, the narrowest over {}",
                                             which_of(capacities.size(), i, what),
                                             to_text(BytesPerSecond{rate}), narrowest)});
    }
  }
  /// `all 4 nodes`, `the narrowest 2 nodes and the others`
  static std::string which_of(std::size_t all, std::size_t narrowest, std::string_view what) {
    return narrowest + 1 >= all
               ? fmt::format("all {} {}", all, what)
               : fmt::format("the narrowest {} {} and the others", narrowest, what);
  }

  const TransferPaths* paths_;
  const BoundedRings* bounded_;
  std::vector<JobNode> nodes_;
  RemoteRanks remote_;
  std::vector<Division> found_;
};

}  // namespace

std::vector<Division> divisions_of(const TransferPaths& paths, const BoundedRings& bounded) {
  return Divisions{paths, bounded}.found();
}

}  // namespace ringcast::detail
