#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "topology/links/link_class.hpp"
#include "topology/nccl/nccl_search.hpp"
#include "topology/nccl/nccl_tables.hpp"
#include "topology/nccl/nccl_tuner.hpp"
#include "topology/nccl/pcie_search.hpp"
#include "topology/rings/job_nodes.hpp"
#include "topology/rings/ring_load.hpp"

namespace ringcast {
namespace {

const Vertex& vertex_at(const TransferPaths& paths, int place) {
  return paths.topology().cluster().vertices[static_cast<std::size_t>(place)];
}

GpuGeneration generation_on_nvlink(int nvlink) {
  if (nvlink <= 2) return GpuGeneration::volta;
  if (nvlink == 3) return GpuGeneration::ampere;
  return nvlink == 4 ? GpuGeneration::hopper : GpuGeneration::blackwell;
}

GpuGeneration generation_on_pcie(int pcie) {
  if (pcie <= 3) return GpuGeneration::volta;
  return pcie == 4 ? GpuGeneration::ampere : GpuGeneration::hopper;
}

/// A node of the job, as its cables tell.
struct NodeOfJob {
  int ranks = 0;
  std::optional<BytesPerSecond> switch_link = {};  // the slowest of a GPU to an NVSwitch, if any
  [[nodiscard]] bool nvswitch() const { return switch_link.has_value(); }
  std::optional<GpuGeneration> by_nvlink;
  std::optional<GpuGeneration> by_pcie;
  /// By the class of the NVLinks; in PCIe boxes by that of the GPUs' PCIe: Turing is taken as
  /// Volta, Ada as Ampere. AMD's GPUs are taken as Ampere.
  [[nodiscard]] GpuGeneration generation() const {
    return by_nvlink.value_or(by_pcie.value_or(GpuGeneration::ampere));
  }
};

void read_cable(const Cable& cable, VertexKind end, NodeOfJob& node) {
  const std::string& name = cable.base_class;
  if (end == VertexKind::nvswitch) {
    node.switch_link = std::min(node.switch_link.value_or(cable.bandwidth), cable.bandwidth);
  } else if (end != VertexKind::gpu) {
    return;
  } else if (name.starts_with("xgmi-mi")) {
    node.by_nvlink = GpuGeneration::ampere;
  } else if (const std::optional<int> nvlink = nvlink_generation(name)) {
    node.by_nvlink = generation_on_nvlink(*nvlink);
  } else if (const std::optional<int> pcie = pcie_generation(name)) {
    node.by_pcie = generation_on_pcie(*pcie);
  }
}

std::vector<NodeOfJob> nodes_of_job(const TransferPaths& paths, const RingOrder& ring) {
  std::map<int, NodeOfJob> nodes;  // by their numbers in the cluster
  for (const Rank rank : ring.ranks()) {
    ++nodes[detail::place_of(paths, rank).node].ranks;
  }
  for (const Cable& cable : paths.topology().cluster().cables) {
    for (const int end : {cable.a, cable.b}) {
      const Vertex& vertex = vertex_at(paths, end);
      const auto node = nodes.find(vertex.node);
      if (node != nodes.end()) read_cable(cable, vertex.kind, node->second);
    }
  }
  std::vector<NodeOfJob> found;
  found.reserve(nodes.size());
  for (const auto& [number, node] : nodes)
    found.push_back(node);
  return found;
}

bool has_link(const TransferPaths& paths, std::string_view link_class) {
  return std::ranges::any_of(paths.topology().cluster().cables,
                             [&](const Cable& cable) { return cable.base_class == link_class; });
}

/// The links of machines for which RCCL's models of topologies have mscclEnabled
/// (src/graph/rome_models.cc), or which run its programs as those do (8 MI350X).
constexpr std::array<std::string_view, 3> xgmi_meshes{"xgmi-mi300x", "xgmi-mi325x", "xgmi-mi355x"};

bool has_amd_host(const TransferPaths& paths) {
  return vertex_at(paths, paths.topology().host_of(paths.places().front())).amd;
}

/// NCCL takes a card at its line rate, whatever staging or a socket costs.
TransportProfile with_plain_networks(TransportProfile profile) {
  profile.kernel_copies = false;
  profile.socket_copy_rate = BytesPerSecond{0};
  profile.socket_latency = Seconds{0};
  return profile;
}

TransportProfile without_gdr(TransportProfile profile) {
  profile.gdr.reset();
  return profile;
}

/// The hops of all rings, in nodes and between them.
class RingTraffic {
 public:
  RingTraffic(const TransferPaths& paths, std::span<const RingOrder> rings)
      : rings_{static_cast<double>(rings.size())},
        plain_{paths.topology(), with_plain_networks(paths.profile()), paths.places()},
        by_host_{paths.topology(), without_gdr(paths.profile()), paths.places()},
        within_{paths},
        across_{plain_},
        through_host_{by_host_} {
    for (const RingOrder& ring : rings) {
      for (const Rank rank : ring.ranks()) {
        if (ring.size() > 1) add(paths.between(rank, ring.next(rank)), rank, ring.next(rank));
      }
    }
  }

  /// The rate at which all rings together can run over hops of this sort; zero: there are none.
  [[nodiscard]] BytesPerSecond within() const {
    return BytesPerSecond{within_.busiest() ? rings_ / within_.slowest() : 0};
  }
  [[nodiscard]] BytesPerSecond across() const { return nominal(across_); }
  /// The same in nodes, as NCCL expects.
  [[nodiscard]] BytesPerSecond expected_within() const { return nominal(within_); }
  /// The same between nodes, if their hosts' processors are Intel's: `across` beyond switches.
  [[nodiscard]] BytesPerSecond expected_across(bool intel) const {
    return nominal(across_, intel && farthest_card_ == PathLevel::phb);
  }
  /// The same through host memory, as it is.
  [[nodiscard]] BytesPerSecond through_host() const {
    return BytesPerSecond{through_host_.busiest() ? rings_ / through_host_.slowest() : 0};
  }
  /// The largest number of cards that one GPU has at its path to the network.
  [[nodiscard]] int cards_per_ring(NcclVersion version) const {
    int most = 1;
    for_each_crossed(across_, [&](LinkId link) {
      most = std::max(most, detail::cards_of(plain_.topology(), link, version));
    });
    return most;
  }
  /// The GPUs at which rings leave a node, of the node that has fewest (connectNvls() in
  /// src/graph/connect.cc); zero for one node.
  [[nodiscard]] int least_exits() const {
    const auto size = [](const auto& node) { return node.second.size(); };
    return exits_.empty() ? 0 : static_cast<int>(size(*std::ranges::min_element(exits_, {}, size)));
  }
  /// By kind, their part of the hops in nodes.
  [[nodiscard]] std::map<PathKind, double> parts_within() const {
    std::map<PathKind, double> parts;
    for (const auto& [kind, hops] : within_by_kind_)
      parts[kind] = static_cast<double>(hops) / hops_within_;
    return parts;
  }
  [[nodiscard]] bool nvlink() const {
    return std::ranges::all_of(within_by_kind_,
                               [](const auto& each) { return each.first == PathKind::nvlink; });
  }
  [[nodiscard]] PathLevel farthest_card() const { return farthest_card_; }
  /// With which messages between nodes begin.
  [[nodiscard]] std::optional<Rendezvous> rendezvous() const { return rendezvous_; }
  [[nodiscard]] bool staged() const { return staged_; }
  [[nodiscard]] double past_root() const {
    return within_by_kind_.empty() ? 0 : static_cast<double>(past_root_) / hops_within_;
  }

 private:
  void add(const TransferPath& path, Rank from, Rank to) {
    if (path.kind == PathKind::network) {
      across_.add(from, to);
      through_host_.add(from, to);
      exits_[detail::place_of(plain_, from).node].insert(from);
      farthest_card_ = std::max(farthest_card_, path.level);
      if (path.rendezvous) rendezvous_ = path.rendezvous;
      staged_ = staged_ || path.staged_by_sender || path.staged_by_receiver;
    } else {
      within_.add(from, to);
      ++within_by_kind_[path.kind];
      ++hops_within_;
      if (path.staged_by_sender || path.level > PathLevel::pxb) ++past_root_;
    }
  }

  [[nodiscard]] BytesPerSecond nominal(const detail::LinkLoads& loads,
                                       bool through_intel = false) const {
    double slowest = 0;
    for_each_crossed(loads, [&](LinkId link) {
      slowest = std::max(slowest, loads.crossings(link) /
                                      detail::nominal_rate(plain_.topology(), link, through_intel));
    });
    return BytesPerSecond{slowest > 0 ? rings_ / slowest : 0};
  }

  void for_each_crossed(const detail::LinkLoads& loads, const auto& visit) const {
    const std::span<const Link> links = plain_.topology().links();
    for (std::size_t i = 0; i < links.size(); ++i) {
      const LinkId link{static_cast<int>(i)};
      if (links[i].kind == LinkKind::direction && loads.crossings(link) > 0) visit(link);
    }
  }

  double rings_;
  TransferPaths plain_;
  TransferPaths by_host_;
  detail::LinkLoads within_;
  detail::LinkLoads across_;
  detail::LinkLoads through_host_;
  std::map<int, std::set<Rank>> exits_;     // of each node
  std::map<PathKind, int> within_by_kind_;  // hops
  int hops_within_ = 0;
  bool staged_ = false;
  std::optional<Rendezvous> rendezvous_;
  int past_root_ = 0;
  PathLevel farthest_card_ = PathLevel::nvl;
};

/// By default NCCL sums nothing in the switch for two GPUs of a node (ncclNvlsInit()).
bool sets_nvls_up(const NcclMachine& machine, const TransportProfile& profile) {
  const NcclVersion first =
      machine.nodes == 1 ? nccl_tables::first_nvls : nccl_tables::first_nvls_tree;
  return machine.switch_sums && machine.ranks / machine.nodes > 2 && machine.version >= first &&
         std::ranges::find(profile.protocols, "in-switch", &Protocol::algorithm) !=
             profile.protocols.end();
}

/// Over PCIe NCCL tries near cards first, and since Hopper on them trees that are not balanced.
std::optional<PathLevel> tree_level(const NcclMachine& machine, const RingTraffic& traffic) {
  const bool nearest = !machine.nvlink && machine.generation >= GpuGeneration::hopper;
  return nearest ? std::nullopt : std::optional{traffic.farthest_card()};
}

/// What the nodes' cables tell. NCCL asks for the least compute capability of all ranks
/// (minCompCap), and sums in switches if each node can, which needs two GPUs there (ncclNvlsInit()
/// in src/transport/nvls.cc).
void take_nodes(const std::vector<NodeOfJob>& nodes, NcclMachine& machine) {
  machine.generation = std::ranges::min(nodes, {}, &NodeOfJob::generation).generation();
  const bool early = machine.generation < GpuGeneration::hopper;
  machine.switch_sums =
      machine.nvlink && !early && std::ranges::all_of(nodes, [](const NodeOfJob& node) {
        return node.nvswitch() && node.ranks > 1;
      });
  machine.early_nvswitch =
      machine.nvlink && early && std::ranges::any_of(nodes, &NodeOfJob::nvswitch);
  machine.switch_link =
      std::ranges::min(nodes, {}, &NodeOfJob::switch_link).switch_link.value_or(BytesPerSecond{0});
}

/// What the cluster's hosts and links tell.
void take_cluster(const TransferPaths& paths, NcclMachine& machine) {
  machine.amd = has_amd_host(paths);
  machine.pascal = has_link(paths, \"nvlink-1.0\");
  machine.grace = has_link(paths, "nvlink-c2c");
  machine.xgmi_mesh =
      std::ranges::any_of(xgmi_meshes, [&](auto name) { return has_link(paths, name); });
  machine.mi350 = has_link(paths, "xgmi-mi355x");
  // Google's hosts set NCCL_BUFFSIZE beside the plugin (NCCL_FASTRAK_*).
  if (has_link(paths, "tcpxo-200g")) machine.channel_buffer = Bytes{8 << 20};
}

void take_traffic(const RingTraffic& traffic, NcclMachine& machine) {
  machine.past_root = traffic.past_root();
  machine.hops = traffic.parts_within();
  machine.near_cards = !traffic.staged() && traffic.farthest_card() <= PathLevel::pxb;
  machine.between = traffic.across();
  machine.through_host = traffic.through_host();
  machine.rendezvous = traffic.rendezvous();
  machine.in_node = machine.has_one_rank_per_node() ? machine.between : traffic.within();
  machine.cards = traffic.least_exits();
  machine.expected_between = traffic.expected_across(!machine.amd && !machine.grace);
}

}  // namespace

NcclMachine nccl_machine(const TransferPaths& paths, std::span<const RingOrder> rings) {
  NcclMachine machine;
  const std::vector<NodeOfJob> nodes = nodes_of_job(paths, rings.front());
  machine.ranks = rings.front().size();
  machine.nodes = static_cast<int>(nodes.size());
  machine.version = paths.profile().nccl_version;
  machine.rccl = paths.profile().tuner == Tuner::rccl;
  const RingTraffic traffic{paths, rings};
  const bool alone = machine.has_one_rank_per_node();
  machine.nvlink = traffic.nvlink() && !alone;
  take_nodes(nodes, machine);
  take_cluster(paths, machine);
  take_traffic(traffic, machine);
  machine.balanced_trees =
      !alone && detail::has_balanced_trees(paths, tree_level(machine, traffic));
  machine.nvls = sets_nvls_up(machine, paths.profile());
  if (detail::is_searched_over_pcie(machine)) {
    const detail::SearchedChannels found = detail::search_over_pcie(paths, rings, machine);
    machine.rings = found.channels;
    machine.ring_rate = found.ring_rate;
    machine.tree_rate = found.tree_rate;
    machine.balanced_trees = found.balanced_trees;
    return machine;
  }
  detail::take_searched_rings(
      machine, alone ? machine.between : traffic.expected_within(),
      traffic.cards_per_ring(machine.version) * static_cast<int>(rings.size()));
  return machine;
}

}  // namespace ringcast
