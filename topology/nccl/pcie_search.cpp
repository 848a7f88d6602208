// NCCL's graph search over PCIe (ncclTopoCompute() in src/graph/search.cc), by a rule in place of
// its recursion.
//
// NCCL gives each link a constant rate by its kind (src/graph/topo.h) and tries the rates of a
// table, the fastest first: at each it packs as many equal channels as the links carry. It begins
// with the first rate at which one fits, ends at half of that, and keeps the one with the largest
// sum:
//
//   two GPUs of PCIe 4.0, 24 GB/s, below one AMD processor:
//   20 GB/s x 1 = 20,  18 x 1,  15 x 1,  12 x 2 = 24,  10 x 2:  two channels of 12 GB/s
//
// Fast channels are then halved (ncclTopoDupChannels()). There are as many trees, chains of the
// GPUs of a node, at the highest rate that fits; between two nodes their chains may be faster
// still. If no ring fits, NCCL takes one at 0.1 GB/s, and trees win at all sizes; if no tree fits
// either, it is at 0.1 GB/s, too, and the ring wins.
#include "topology/nccl/pcie_search.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "topology/nccl/nccl_search.hpp"
#include "topology/nccl/pcie_loads.hpp"
#include "topology/rings/job_nodes.hpp"
#include "topology/transfers/nccl_links.hpp"

namespace ringcast::detail {
namespace {

RingOrder reversed_order(const RingOrder& ring) {
  const std::span<const Rank> ranks = ring.ranks();
  return RingOrder{{ranks.rbegin(), ranks.rend()}};
}

/// The search in one node.
class PcieSearch {
 public:
  PcieSearch(const TransferPaths& paths, std::span<const RingOrder> rings,
             const NcclMachine& machine, const JobNode& node)
      : topology_{&paths.topology()}, machine_{&machine} {
    const NodeLoads here{paths, machine, node};
    if (here.nvlink_groups(rings.front()) == 2) least_channels_ = 2;
    for (const std::vector<RingOrder>& orders : sets_of(here, rings))
      add_set(here, orders);
  }

  [[nodiscard]] NcclMachine::Search found() const {
    constexpr BytesPerSecond least{0.1e9};
    const auto [rings, rate] = fastest_rings();
    const int parts = search_parts(*machine_, rings, rate);
    NcclMachine::Search found{.rings = std::max(1, parts * rings),
                              .ring_rate = rings > 0 ? BytesPerSecond{rate / parts} : least,
                              .tree_rate = least,
                              .balanced_trees = machine_->search.balanced_trees};
    // Without a tree for each ring there is one channel.
    if (!find_trees(found)) found.rings = 1;
    return found;
  }

 private:
  static constexpr int most_channels = 32;  // MAXCHANNELS / 2
  using TreeSets = std::vector<std::vector<TreeShape>>;

  /// The rings as they are, or in both directions. Between AMD's sockets all channels are equal
  /// except for their NICs.
  [[nodiscard]] std::vector<std::vector<RingOrder>> sets_of(
      const NodeLoads& here, std::span<const RingOrder> rings) const {
    std::vector<std::vector<RingOrder>> sets;
    if (machine_->hosts.amd && here.crosses_sockets(rings.front())) {
      for (const RingOrder& ring : rings)
        sets.push_back({ring});
      if (machine_->nodes > 1) sets.emplace_back(rings.begin(), rings.end());
      return sets;
    }
    sets.assign(2, {rings.begin(), rings.end()});
    for (const RingOrder& ring : rings)
      sets.back().push_back(reversed_order(ring));
    return sets;
  }

  void add_set(const NodeLoads& here, const std::vector<RingOrder>& orders) {
    std::vector<ChannelLoad>& loads = rings_.emplace_back();
    for (const RingOrder& order : orders)
      loads.push_back(here.ring_through(order));
    for (const bool last_is_second : {false, true}) {
      for (const bool balanced : {true, false}) {
        std::vector<TreeShape>& trees = (balanced ? balanced_trees_ : trees_).emplace_back();
        for (const RingOrder& order : orders)
          trees.push_back(here.tree_through(order, last_is_second, balanced));
      }
    }
  }

  [[nodiscard]] std::pair<int, double> fastest_rings() const {
    constexpr double slower = 0.49;
    std::pair<int, double> best{0, 0};
    for (const double gigabytes : search_rates(*machine_)) {
      const double rate = gigabytes * 1e9;
      if (rate <= slower * best.second) break;
      int most = 0;
      for (const std::vector<ChannelLoad>& loads : rings_)
        most = std::max(most, carried(loads, rate, most_channels));
      if (most >= least_channels_ && most * rate > best.first * best.second) best = {most, rate};
    }
    return best;
  }

  struct TreeRates {
    double across = 0;  // zero: the trees do not fit
    double within = 0;
  };

  /// Since Hopper trees are balanced unless others are faster.
  [[nodiscard]] bool find_trees(NcclMachine::Search& found) const {
    const bool tries_others =
        !machine_->search.balanced_trees || machine_->gpus.generation >= GpuGeneration::hopper;
    const TreeRates others = tries_others ? tree_rates(trees_, found.rings) : TreeRates{};
    TreeRates rates = others;
    if (machine_->search.balanced_trees) rates = tree_rates(balanced_trees_, found.rings);
    found.balanced_trees = machine_->search.balanced_trees && rates.across >= others.across;
    if (!found.balanced_trees) rates = others;
    if (rates.across == 0) return false;
    found.tree_rate = BytesPerSecond{rates.within * 1e9};
    return true;
  }

  /// The rate in GB/s of this number of trees. Between two nodes NCCL expects the rate within
  /// nodes, which may be up to twice that of the NICs.
  [[nodiscard]] TreeRates tree_rates(const TreeSets& sets, int channels) const {
    const SearchRates rates = search_rates(*machine_);
    const auto fits = [&](double across, double within) {
      return std::ranges::any_of(sets, [&](const std::vector<TreeShape>& trees) {
        return carried(loads_of(trees, within / across), across * 1e9, channels) == channels;
      });
    };
    auto rate = std::ranges::find_if(rates, [&](double each) { return fits(each, each); });
    if (rate == rates.end()) return {};
    const double across = *rate;
    while (machine_->nodes == 2 && rate != rates.begin() && *rate < 2 * across &&
           fits(across, *std::prev(rate)))
      --rate;
    return {across, *rate};
  }

  static std::vector<ChannelLoad> loads_of(const std::vector<TreeShape>& trees, double within) {
    std::vector<ChannelLoad> loads;
    for (const TreeShape& tree : trees)
      add_load(loads.emplace_back(tree.uplink), tree.chain, within);
    return loads;
  }

  /// The channels of these loads, taken in turns, that the links carry at this rate.
  [[nodiscard]] int carried(const std::vector<ChannelLoad>& loads, double rate, int most) const {
    constexpr double rounding = 0.5e6;
    std::map<LinkId, double> used;
    int count = 0;
    std::size_t refused = 0;
    for (std::size_t i = 0; count < most && refused < loads.size(); ++i) {
      const ChannelLoad& load = loads[i % loads.size()];
      const bool fits = std::ranges::all_of(load, [&](const auto& each) {
        return used[each.first] + each.second * rate <=
               search_link_rate(*topology_, each.first, machine_->version) + rounding;
      });
      refused = fits ? 0 : refused + 1;
      if (!fits) continue;
      add_load(used, load, rate);
      ++count;
    }
    return count;
  }

  const Topology* topology_;
  const NcclMachine* machine_;
  int least_channels_ = 1;  // two between two groups that NVLinks join (ncclTopoSplitNvLink())
  // Alternatives: channels fit if those of one set do.
  std::vector<std::vector<ChannelLoad>> rings_;
  TreeSets balanced_trees_;
  TreeSets trees_;
};

}  // namespace

bool is_searched_over_pcie(const NcclMachine& machine) {
  return !machine.nvlink && !machine.rccl && machine.ranks > 1;
}

NcclMachine::Search search_over_pcie(const TransferPaths& paths, std::span<const RingOrder> rings,
                                     const NcclMachine& machine) {
  const std::set<int> amd = amd_nodes(paths.topology().cluster());
  std::map<int, NcclMachine::Search> by_shape;
  for (const JobNode& node : job_nodes(paths)) {
    if (by_shape.contains(node.shape)) continue;
    NcclMachine own = machine;
    own.hosts.amd = amd.contains(node.node);
    by_shape[node.shape] = PcieSearch{paths, rings, own, node}.found();
  }
  NcclMachine::Search least = by_shape.begin()->second;
  for (const auto& [shape, found] : by_shape) {
    least.rings = std::min(least.rings, found.rings);
    least.ring_rate = std::min(least.ring_rate, found.ring_rate);
    least.tree_rate = std::min(least.tree_rate, found.tree_rate);
    least.balanced_trees = least.balanced_trees && found.balanced_trees;
  }
  return least;
}

}  // namespace ringcast::detail
