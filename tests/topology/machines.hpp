#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/numbers/error.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/routes/topology.hpp"

/// Invented machines. Their rates are round, so that sums of them can be derived by eye.
namespace ringcast::machines {

inline CableSpec cable(std::string link_class, double gigabytes_per_s, double latency_us = 1) {
  return {std::move(link_class), BytesPerSecond{gigabytes_per_s * 1e9}, Seconds{latency_us * 1e-6},
          "invented"};
}
inline CableSpec pcie() {
  return cable("pcie-3.0-x16", 10);
}
inline CableSpec qpi() {
  return cable("qpi-9.6", 6);
}
inline CableSpec fdr() {
  return cable("infiniband-fdr-4x", 6, 2);
}

inline DeviceSpec gpus(int count) {
  return {VertexKind::gpu, count, pcie(), {}};
}
inline DeviceSpec nics(int count) {
  return {VertexKind::nic, count, pcie(), {}};
}
inline DeviceSpec switches(int count, std::vector<DeviceSpec> below) {
  return {VertexKind::pcie_switch, count, pcie(), std::move(below)};
}
inline SocketSpec socket(std::vector<DeviceSpec> devices) {
  return {1, {{1, std::nullopt, std::move(devices)}}};
}

/// Two sockets with a root complex each, two PCIe switches below each, two GPUs below each switch;
/// the NIC is on the first socket.
inline NodeTypeSpec dual_root() {
  return {"dual-root",
          {socket({switches(2, {gpus(2)}), nics(1)}), socket({switches(2, {gpus(2)})})},
          qpi(),
          {},
          std::nullopt};
}

/// One root complex with two PCIe switches of five GPUs each.
inline NodeTypeSpec single_root() {
  return {
      "single-root", {socket({switches(2, {gpus(5)}), nics(1)})}, std::nullopt, {}, std::nullopt};
}

/// Eight GPUs, two to a PCIe switch with a NIC each, and the NVLinks of a cube with
/// diagonals: each half is fully joined, and each GPU has a partner in the other half.
inline NodeTypeSpec dgx1() {
  const CableSpec nvlink = cable("nvlink-2.0", 20, 0.5);
  NodeTypeSpec type{
      "dgx1",
      {socket({switches(2, {gpus(2), nics(1)})}), socket({switches(2, {gpus(2), nics(1)})})},
      qpi(),
      {},
      std::nullopt};
  for (const int half : {0, 4}) {
    for (int a = 0; a < 4; ++a) {
      for (int b = a + 1; b < 4; ++b) {
        type.nvlinks.push_back({half + a, half + b, a + b == 3 ? 2 : 1, nvlink});
      }
    }
  }
  for (int a = 0; a < 4; ++a) {
    type.nvlinks.push_back({a, a + 4, 2, nvlink});
  }
  return type;
}

/// `sockets` with `processes` each, whose cores copy 8 GB/s, and 40 GB/s of memory; a NIC
/// on the first.
inline NodeTypeSpec cpu_node(int sockets, int processes) {
  NodeTypeSpec type{"cpu-node", {}, qpi(), {}, std::nullopt};
  for (int i = 0; i < sockets; ++i) {
    type.sockets.push_back(i == 0 ? socket({nics(1)}) : SocketSpec{});
    type.sockets.back().memory = BytesPerSecond{40e9};
    type.sockets.back().processes = processes;
    type.sockets.back().process_cable = cable("core", 8, 0);
  }
  return type;
}

/// Sixteen GPUs on NVSwitches.
inline NodeTypeSpec dgx2() {
  return {"dgx2",
          {socket({switches(2, {gpus(4)})}), socket({switches(2, {gpus(4)})})},
          qpi(),
          {},
          NvswitchSpec{6, cable("nvlink-2.0", 20, 0.5)}};
}

/// Eight pairs of a GPU and a NIC, each pair on a PCIe switch, and an NVSwitch.
inline NodeTypeSpec eight_rails() {
  return {"eight-rails",
          {socket({switches(4, {gpus(1), nics(1)})}), socket({switches(4, {gpus(1), nics(1)})})},
          qpi(),
          {},
          NvswitchSpec{6, cable("nvlink-3.0", 20, 0.5)}};
}

/// One GPU and one NIC on a root complex: the least node.
inline NodeTypeSpec least() {
  return {"least", {socket({gpus(1), nics(1)})}, std::nullopt, {}, std::nullopt};
}

inline ClusterSpec cluster_of(const NodeTypeSpec& type, int nodes) {
  ClusterSpec spec;
  spec.name = "test";
  spec.node_types = {type};
  spec.nodes = {{type.name, nodes}};
  return spec;
}
inline ClusterSpec on_one_switch(const NodeTypeSpec& type, int nodes, int rails = 1) {
  ClusterSpec spec = cluster_of(type, nodes);
  spec.single_switch = SingleSwitchSpec{rails, fdr()};
  return spec;
}
inline ClusterSpec on_fat_tree(const NodeTypeSpec& type, int nodes, int levels, int radix,
                               double oversubscription = 1, int rails = 1) {
  ClusterSpec spec = cluster_of(type, nodes);
  spec.fat_tree = FatTreeSpec{levels, radix, oversubscription, rails, fdr(), std::nullopt};
  return spec;
}

/// Nodes of an Intel processor with four PCIe 4.0 switches of two GPUs and a NIC of 200 Gb/s each;
/// kernels copy 15.6 GB/s through its memory.
inline ClusterSpec boxes_of_pairs(int nodes) {
  const auto classed = [](std::string link_class, double gigabytes_per_s) {
    CableSpec spec = cable(link_class, gigabytes_per_s);
    spec.base_class = std::move(link_class);
    return spec;
  };
  CableSpec slot = classed("pcie-4.0-x16", 24);
  slot.kernel_bandwidth = BytesPerSecond{14.4e9};
  const DeviceSpec devices{VertexKind::pcie_switch,
                           4,
                           slot,
                           {{VertexKind::gpu, 2, slot, {}}, {VertexKind::nic, 1, slot, {}}}};
  ClusterSpec spec =
      on_one_switch({"box", {socket({devices})}, std::nullopt, {}, std::nullopt}, nodes);
  spec.single_switch->cable = classed("infiniband-hdr-4x", 24);
  return spec;
}

/// A cable between two vertices of these names.
inline const Cable& cable_between(const Cluster& cluster, std::string_view a, std::string_view b) {
  const auto joins = [&](const Cable& cable) {
    const std::string& first = cluster.vertices[static_cast<std::size_t>(cable.a)].name;
    const std::string& second = cluster.vertices[static_cast<std::size_t>(cable.b)].name;
    return (first == a && second == b) || (first == b && second == a);
  };
  const auto found = std::ranges::find_if(cluster.cables, joins);
  if (found == cluster.cables.end()) {
    throw std::out_of_range{"no such cable"};
  }
  return *found;
}

/// The cables of a vertex to vertices whose names begin with `prefix`.
inline std::vector<std::string> neighbours(const Cluster& cluster, std::string_view name,
                                           std::string_view prefix) {
  std::vector<std::string> found;
  for (const Cable& cable : cluster.cables) {
    const std::string& a = cluster.vertices[static_cast<std::size_t>(cable.a)].name;
    const std::string& b = cluster.vertices[static_cast<std::size_t>(cable.b)].name;
    if (a == name && b.starts_with(prefix)) {
      found.push_back(b);
    } else if (b == name && a.starts_with(prefix)) {
      found.push_back(a);
    }
  }
  return found;
}

/// What the cluster calls a rank.
inline std::string name_of_rank(const Topology& topology, int rank) {
  return topology.cluster().vertices[static_cast<std::size_t>(topology.vertex_of(Rank{rank}))].name;
}

inline const Route& route(const Topology& topology, Rank from, Rank to) {
  return topology.route_between(topology.vertex_of(from), topology.vertex_of(to));
}

/// The names of the links that a message crosses.
inline std::vector<std::string> path(const Topology& topology, int from, int to) {
  std::vector<std::string> names;
  for (const LinkId link : route(topology, Rank{from}, Rank{to}).links) {
    names.push_back(topology.name_of(link));
  }
  return names;
}

/// The message of the ScenarioError that `act` throws.
template <typename Act>
std::string refusal(const Act& act) {
  try {
    act();
  } catch (const ScenarioError& error) {
    return error.what();
  }
  return "nothing was refused";
}

}  // namespace ringcast::machines
