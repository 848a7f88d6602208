#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "topology/links/gpu_models.hpp"
#include "topology/links/link_class.hpp"
#include "topology/nccl/aws_tuner.hpp"
#include "topology/nccl/nccl_search.hpp"
#include "topology/nccl/nccl_tables.hpp"
#include "topology/nccl/nccl_tuner.hpp"
#include "topology/nccl/pcie_search.hpp"
#include "topology/nccl/ring_traffic.hpp"
#include "topology/rings/channel_rings.hpp"
#include "topology/rings/job_nodes.hpp"

namespace ringcast {
namespace {

GpuGeneration generation_on_nvlink(int nvlink) {
  if (nvlink <= 2) return GpuGeneration::volta;
  if (nvlink == 3) return GpuGeneration::ampere;
  return nvlink == 4 ? GpuGeneration::hopper : GpuGeneration::blackwell;
}

/// A node of the job, according to its model of GPUs and its cables.
struct NodeOfJob {
  int ranks = 0;
  bool amd = false;                                // the vendor of its processors
  std::optional<BytesPerSecond> switch_link = {};  // the slowest of a GPU to an NVSwitch, if any
  [[nodiscard]] bool nvswitch() const { return switch_link.has_value(); }
  std::optional<BytesPerSecond> pcie_link = {};  // the slowest of a GPU, if any
  const GpuModel* model = nullptr;               // null: unknown
  std::optional<GpuGeneration> by_nvlink;
  std::optional<GpuGeneration> by_pcie;
  [[nodiscard]] bool pascal() const {
    return model != nullptr && !model->is_amd() && model->capability < 70;
  }
  [[nodiscard]] bool early_ll128() const {
    constexpr std::array capabilities{70, 80, 90, 100, 120};
    return model == nullptr || std::ranges::count(capabilities, model->capability) > 0;
  }
  [[nodiscard]] bool h20() const { return model != nullptr && model->product == "H20"; }
  [[nodiscard]] bool gb10() const { return model != nullptr && model->product == "GB10"; }
  /// By the model, else the class of the NVLinks; in PCIe boxes by that of the GPUs' PCIe.
  [[nodiscard]] GpuGeneration generation() const {
    if (model != nullptr) return model->generation();
    return by_nvlink.value_or(by_pcie.value_or(GpuGeneration::ampere));
  }
};

void read_cable(const Cable& cable, const Vertex& end, NodeOfJob& node) {
  const std::string& name = cable.base_class;
  if (end.kind == VertexKind::nvswitch) {
    node.switch_link = std::min(node.switch_link.value_or(cable.bandwidth), cable.bandwidth);
  } else if (end.kind != VertexKind::gpu) {
    return;
  } else if (name.starts_with("xgmi-mi")) {
    node.by_nvlink = GpuGeneration::ampere;
  } else if (const std::optional<int> nvlink = nvlink_generation(name)) {
    node.by_nvlink = generation_on_nvlink(*nvlink);
  } else if (const std::optional<int> pcie = pcie_generation(name)) {
    node.by_pcie = generation_on_pcie(*pcie, end.gpudirect);
    node.pcie_link = std::min(node.pcie_link.value_or(cable.bandwidth), cable.bandwidth);
  }
}

struct NodesOfJob {
  std::vector<NodeOfJob> all;
  std::set<std::string_view> links;  // the classes of their cables
};

NodesOfJob nodes_of_job(const TransferPaths& paths, const RingOrder& ring) {
  NodesOfJob found;
  std::map<int, NodeOfJob> nodes;  // by their numbers in the cluster
  for (const Rank rank : ring.ranks()) {
    const Vertex& place = detail::place_of(paths, rank);
    NodeOfJob& node = nodes[place.node];
    ++node.ranks;
    node.model = place.model;
  }
  for (const Cable& cable : paths.topology().cluster().cables) {
    for (const int end : {cable.a, cable.b}) {
      const Vertex& vertex = paths.topology().cluster().vertex(end);
      const auto node = nodes.find(vertex.node);
      if (node == nodes.end()) continue;
      read_cable(cable, vertex, node->second);
      found.links.insert(cable.base_class);
    }
  }
  const std::set<int> amd = detail::amd_nodes(paths.topology().cluster());
  found.all.reserve(nodes.size());
  for (auto& [number, node] : nodes) {
    node.amd = amd.contains(number);
    found.all.push_back(node);
  }
  return found;
}

bool sets_nvls_up(const NcclMachine& machine, const TransportProfile& profile) {
  return machine.sums_in_switches() &&
         std::ranges::find(profile.protocols, "in-switch", &Protocol::algorithm) !=
             profile.protocols.end();
}

/// Over PCIe NCCL tries near NICs first, and since Hopper on them trees that are not balanced.
std::optional<PathLevel> tree_level(const NcclMachine& machine,
                                    const detail::RingTraffic& traffic) {
  const bool nearest = !machine.nvlink && machine.gpus.generation >= GpuGeneration::hopper;
  return nearest ? std::nullopt : std::optional{traffic.farthest_nic()};
}

/// Sets the members that the nodes' cables determine. NCCL uses the least compute capability of all
/// ranks (minCompCap), and in-switch sums if every node supports them, which takes two GPUs per
/// node (ncclNvlsInit() in src/transport/nvls.cc).
void take_nodes(const NodesOfJob& found, NcclMachine& machine) {
  const auto& [nodes, links] = found;
  const auto [oldest, newest] = std::ranges::minmax(nodes, {}, &NodeOfJob::generation);
  machine.gpus.generation = oldest.generation();
  const bool early = machine.gpus.generation < GpuGeneration::hopper;
  machine.switch_sums =
      machine.nvlink && !early && std::ranges::all_of(nodes, [](const NodeOfJob& node) {
        return node.nvswitch() && node.ranks > 1;
      });
  machine.gpus.h20 = std::ranges::any_of(nodes, &NodeOfJob::h20);
  machine.early_nvswitch =
      machine.nvlink && early && std::ranges::any_of(nodes, &NodeOfJob::nvswitch);
  machine.switch_link =
      std::ranges::min(nodes, {}, &NodeOfJob::switch_link).switch_link.value_or(BytesPerSecond{0});
  machine.pcie_link = nodes.front().pcie_link;
  machine.gpus.rubin = links.contains("nvlink-6.0");
  machine.gpus.mixed = newest.generation() != oldest.generation();
  machine.gpus.pascal =
      links.contains("nvlink-1.0") || std::ranges::any_of(nodes, &NodeOfJob::pascal);
  machine.gpus.early_ll128 =
      !links.contains("nvlink-3.0-rtx") && std::ranges::all_of(nodes, &NodeOfJob::early_ll128);
  machine.hosts.grace = links.contains("nvlink-c2c");
  // Between nodes MI300A have no model of RCCL's that is known.
  machine.xgmi_mesh = std::ranges::any_of(links, is_xgmi_mesh) &&
                      (machine.nodes == 1 || !links.contains("xgmi-mi300a"));
  machine.gpus.mi350 = links.contains("xgmi-mi355x");
  machine.gpus.mi250 = links.contains("xgmi-mi250x");
  // NCCL compares the vendors of all ranks' hosts (NCCL_TOPO_CPU_VENDOR_MIXED, src/init.cc).
  machine.hosts.amd = std::ranges::all_of(nodes, &NodeOfJob::amd);
  machine.hosts.mixed = !machine.hosts.amd && std::ranges::any_of(nodes, &NodeOfJob::amd);
  machine.reported_latency = aws_latency(links);
  // Google's hosts set NCCL_BUFFSIZE together with the plugin's variables (NCCL_FASTRAK_*);
  // Amazon's plugin sets it itself.
  if (links.contains("tcpxo-200g") || aws_sets_buffers(links)) {
    machine.limits.channel_buffer = Bytes{8 << 20};
  }
}

void take_traffic(const detail::RingTraffic& traffic, NcclMachine& machine) {
  machine.past_root = traffic.past_root();
  machine.hops = traffic.parts_within();
  // LL128 is for NICs up to PXB, since Hopper up to PXN and over NVLink-C2C, there also where the
  // NIC cannot access the GPU's memory (src/graph/tuning.cc).
  const bool hopper = machine.gpus.generation >= GpuGeneration::hopper;
  machine.near_nics = (!traffic.staged() || machine.gpus.gb10) &&
                      traffic.farthest_nic() <= (hopper ? PathLevel::pxn : PathLevel::pxb);
  machine.between = traffic.across();
  machine.through_host = traffic.through_host();
  machine.rendezvous = traffic.rendezvous();
  machine.in_node = machine.has_one_rank_per_node() ? machine.between : traffic.within();
  machine.nics = traffic.least_exits();
  machine.expected_between = traffic.expected_across(!machine.hosts.grace);
}

}  // namespace

NcclMachine nccl_machine(const TransferPaths& paths, std::span<const RingOrder> rings) {
  NcclMachine machine;
  const NodesOfJob nodes = nodes_of_job(paths, rings.front());
  machine.ranks = rings.front().size();
  machine.paths = static_cast<int>(rings.size());
  machine.nodes = paths.node_count();
  machine.version = paths.profile().nccl_version;
  machine.rccl = paths.profile().tuner == Tuner::rccl;
  const detail::RingTraffic traffic{paths, rings};
  const bool alone = machine.has_one_rank_per_node();
  machine.nvlink = traffic.nvlink() && !alone;
  machine.part_of_mesh = detail::is_part_of_mesh(paths);
  take_nodes(nodes, machine);
  machine.gpus.gb10 =
      !paths.profile().is_over_tcp() && std::ranges::all_of(nodes.all, &NodeOfJob::gb10);
  machine.limits.channel_buffer =
      paths.profile().channel_buffer.value_or(machine.limits.channel_buffer);
  machine.limits.least_channels = paths.profile().least_channels;
  machine.limits.most_channels = paths.profile().most_channels;
  take_traffic(traffic, machine);
  machine.search.balanced_trees =
      !alone && detail::has_balanced_trees(paths, tree_level(machine, traffic));
  machine.nvls = sets_nvls_up(machine, paths.profile());
  if (detail::is_searched_over_pcie(machine)) {
    machine.search = detail::search_over_pcie(paths, rings, machine);
    return machine;
  }
  detail::take_searched_rings(
      machine, alone ? machine.between : traffic.expected_within(),
      traffic.nics_per_ring(machine.version) * static_cast<int>(rings.size()));
  return machine;
}

std::vector<RingOrder> rings_of_nccl(const TransferPaths& paths) {
  std::vector<RingOrder> rings = channel_rings(paths);
  if (paths.profile().tuner == Tuner::none || paths.ranks() < 2) return rings;
  const int channels = nccl_machine(paths, rings).channels();
  if (channels < static_cast<int>(rings.size())) rings.erase(rings.begin() + channels, rings.end());
  return rings;
}

}  // namespace ringcast
