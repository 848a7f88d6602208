// Upper bounds of the bus bandwidth of an all-reduce of S bytes over n ranks.
//
// Divide the ranks into m parties: single ranks, those of a PCIe switch, of a socket, of a node, of
// a leaf, or the two sides of a cut. Let C be the greatest sum of the rates of all transfers
// between parties: a maximum flow, or for the two sides twice the minimum cut.
//
//   A ring has at least m hops between parties, one out of each. All rings together send
//   2(n-1)/n S over each of their hops, which at C takes at least m 2(n-1)/n S / C. So
//       busbw <= C / m.
//   Any algorithm: at least m - 1 transfers of an element between parties precede the moment at
//   which a first party has its sum, and each other party receives at least one after that
//   (Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms, 2009). That is 2(m-1) S in total,
//   and S each way across a cut. So
//       busbw <= C (n-1) / (n (m-1)).
//
//   two nodes of eight GPUs with 300 GB/s of NVLink each, and eight NICs of 25 GB/s:
//     ranks:  m = 16, C = 16 x 300 + 2 x 8 x 25 = 5,200 GB/s   rings 325   any  325
//     nodes:  m =  2, C = 2 x 8 x 25 = 400 GB/s                rings 200   any  375
//
// With parties of equal size and capacity the second is the bound that reduce-scatter and
// all-gather schedules of ForestColl reach (Zhao et al., 2024): the lowest capacity out of a set of
// ranks, divided by their fraction of all. With unequal ones theirs is lower: other algorithms,
// such as a tree with the slowest rank as a leaf, are faster than reduce-scatter and all-gather.
//
// The flows of a node are those of its transfer paths (transfer_network.hpp); nodes of one shape
// are computed once. In the fabric the parties are the groups of fabric_levels.hpp, whose capacity
// is that of the cables between them, and the two sides of its narrowest cut. For few ranks, a
// linear programme over all ring orders may give a tighter bound for rings (ring_mix.cpp).
#include "topology/rings/ring_bounds.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "topology/rings/cut_text.hpp"
#include "topology/rings/fabric_cuts.hpp"
#include "topology/rings/fabric_levels.hpp"
#include "topology/rings/node_rings.hpp"
#include "topology/rings/remote_ranks.hpp"
#include "topology/rings/transfer_network.hpp"

namespace ringcast {

namespace {

using detail::FabricGroup;
using detail::JobNode;
using detail::TransferCut;

/// A division of the ranks into parties, and the rate of all transfers between them.
struct Division {
  double parties = 0;
  double rate = 0;
  std::string reason;
  bool is_limited = true;  // false if buffers share a memory of unknown rate
};

bool is_limited(const TransferCut& cut) {
  return cut.capacity.value() < static_cast<double>(detail::FlowNetwork::unlimited);
}

class Divisions {
 public:
  explicit Divisions(const TransferPaths& paths)
      : paths_{&paths}, nodes_{detail::job_nodes(paths)}, remote_{paths, nodes_} {
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
    return detail::outgoing_transfers(*paths_, nodes_[node].ranks, remote_.of(node), group_of);
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
              detail::narrowest_cut(*paths_, nodes_[node].ranks, remote_.of(node));
          cut && is_limited(*cut)) {
        found_.push_back(
            {2, 2 * cut->capacity.value(), detail::describe(paths_->topology(), *cut)});
      }
    }
  }

  /// The group of each rank of a node: ranks of a group have the same first `depth` vertices in
  /// their tree paths.
  [[nodiscard]] std::vector<int> groups_at(std::size_t node, std::size_t depth) const {
    std::map<std::vector<int>, int> known;
    std::vector<int> group_of;
    for (const Rank rank : nodes_[node].ranks) {
      std::vector<int> path = detail::tree_path(*paths_, rank);
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
        deepest = std::max(deepest, detail::tree_path(*paths_, rank).size());
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
    return {
        1.0 + *std::ranges::max_element(group_of), cut.capacity.value(),
        detail::classes_of(paths_->topology(), cut.links) + (nodes_.size() > 1 ? " per node" : ""),
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
                              detail::describe(paths_->topology(), known->second));
    }
    add_unequal(std::move(capacities), "nodes");
  }

  void add_fabric() {
    const Topology& topology = paths_->topology();
    const std::vector<std::vector<FabricGroup>> levels = detail::fabric_levels(topology, nodes_);
    if (!levels.empty()) {
      std::vector<std::size_t> nodes;  // of each smallest group, one
      for (const FabricGroup& group : levels.front()) {
        nodes.push_back(group.nodes.front());
      }
      if (const auto cut = detail::narrowest_fabric_cut(topology, nodes_, nodes)) {
        found_.push_back({2, 2 * cut->capacity.value(), detail::describe(topology, *cut)});
      }
    }
    for (const std::vector<FabricGroup>& groups : levels) {
      std::vector<std::pair<double, std::string>> capacities;
      for (const FabricGroup& group : groups) {
        double rate = 0;
        for (const LinkId link : group.out) {
          rate += topology.links()[index_of(link)].bandwidth.value();
        }
        capacities.emplace_back(rate,
                                detail::describe(topology, {BytesPerSecond{rate}, group.out}));
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
  std::vector<JobNode> nodes_;
  detail::RemoteRanks remote_;
  std::vector<Division> found_;
};

/// The lowest bound. `busbw(division)`: the bound by one division.
template <typename Busbw>
BandwidthBound lowest(const TransferPaths& paths, const Busbw& busbw) {
  BandwidthBound bound;
  if (paths.ranks() < 2) {
    bound.reason = "nothing to exchange";
    return bound;
  }
  bound.reason = "no link between the ranks";
  const Divisions divisions{paths};
  for (const Division& division : divisions.found()) {
    const BytesPerSecond each{busbw(division)};
    if (&division == divisions.found().data() || each < (1 - 1e-9) * bound.busbw) {
      bound = {each, division.reason};
    }
  }
  return bound;
}

}  // namespace

detail::BoundAndMix detail::ring_bound_and_mix(const TransferPaths& paths) {
  BandwidthBound bound =
      lowest(paths, [](const Division& division) { return division.rate / division.parties; });
  if (bound.busbw == BytesPerSecond{0}) {
    return {std::move(bound), std::nullopt};
  }
  std::optional<RingMix> mix = best_ring_mix(paths, bound.busbw.value());
  if (mix && mix->bound < (1 - 1e-5) * bound.busbw.value()) {
    const LinkId link = mix->binding.front();
    const BytesPerSecond rate = paths.topology().links()[index_of(link)].bandwidth;
    bound = {BytesPerSecond{mix->bound},
             fmt::format("the best mix of all ring orders, which fills {} links such as {}",
                         mix->binding.size(), describe(paths.topology(), {rate, {link}}))};
  }
  return {std::move(bound), std::move(mix)};
}

BandwidthBound ring_bound(const TransferPaths& paths) {
  return detail::ring_bound_and_mix(paths).bound;
}

BandwidthBound algorithm_bound(const TransferPaths& paths) {
  const double n = paths.ranks();
  return lowest(paths, [n](const Division& division) {
    return division.rate * (n - 1) / (n * (division.parties - 1));
  });
}

}  // namespace ringcast
