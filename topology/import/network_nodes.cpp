#include "topology/import/network_nodes.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "topology/cluster/index.hpp"
#include "topology/import/node_nics.hpp"
#include "topology/import/nvlink_rack.hpp"
#include "topology/import/slurm_uplinks.hpp"

namespace ringcast {

namespace {

using detail::HostPort;
using detail::index;
using detail::Nic;
using detail::NodeNics;

/// n2 before n10, as Slurm lists hosts: ranks follow this order.
struct ByNumbers {
  bool operator()(const std::string& a, const std::string& b) const {
    return ::strverscmp(a.c_str(), b.c_str()) < 0;
  }
};
using Hosts = std::map<std::string, std::vector<HostPort>, ByNumbers>;

class NetworkNodes {
 public:
  NetworkNodes(const std::string& name, const IbNetwork& network,
               const std::vector<HostHardware>& described, const ImportHints& hints)
      : name_{name}, network_{network}, hints_{hints} {
    for (const HostHardware& host : described)
      described_.push_back({{host, network}});
  }

  DiscoveredNodes build() {
    DiscoveredFabric fabric;
    fabric.remarks = network_.remarks;
    std::ranges::move(remarks_on_rates(network_), std::back_inserter(fabric.remarks));
    const std::vector<bool> kept = in_main_component(network_);
    Hosts hosts;
    int elsewhere = 0;
    for (const IbNetwork::Cable& cable : network_.cables) {
      add_adapters(cable, kept[index(cable.a)] && kept[index(cable.b)], hosts, elsewhere);
    }
    if (elsewhere > 0) {
      fabric.remarks.push_back(
          fmt::format("the network is in several pieces; ports outside of the largest, and of "
                      "rails to the same hosts, are left out: {}",
                      elsewhere));
    }
    add_hosts(hosts, fabric);
    for (std::size_t i = 0; i < network_.nodes.size(); ++i) {
      if (network_.nodes[i].is_switch && kept[i]) {
        fabric.switches.push_back(network_.nodes[i].id);
      }
    }
    for (const IbNetwork::Cable& cable : network_.cables) {
      if (is_switch(cable.a) && is_switch(cable.b) && kept[index(cable.a)]) {
        const NodeNics* const any = described_.empty() ? nullptr : &described_.front().nics;
        fabric.cables.push_back({id_of(cable.a), id_of(cable.b), link_of(cable, any)});
      }
    }
    if (network_.nics_unknown) widen_uplinks(fabric);
    DiscoveredNodes nodes = merge_hosts(nodes_);
    nodes.fabric = std::move(fabric);
    return nodes;
  }

 private:
  struct Described {
    NodeNics nics;
    int hosts = 0;  // with this hardware
  };

  [[nodiscard]] bool is_switch(int node) const { return network_.nodes[index(node)].is_switch; }
  [[nodiscard]] LinkChoice link_of(const IbNetwork::Cable& cable, const NodeNics* nics) const {
    if (cable.rate.empty() && !hints_.network.empty()) {
      return {hints_.network, BytesPerSecond{0}, "given"};
    }
    if (network_.nics_unknown && nics != nullptr && !nics->nics().empty()) {
      return network_link(*nics->nics().front());  // Slurm has no rates
    }
    return infiniband_link(cable.rate);
  }
  [[nodiscard]] const std::string& id_of(int node) const { return network_.nodes[index(node)].id; }

  void add_adapters(const IbNetwork::Cable& cable, bool kept, Hosts& hosts, int& elsewhere) const {
    for (const bool at_a : {true, false}) {
      const IbNetwork::Node& node = network_.nodes[index(at_a ? cable.a : cable.b)];
      if (node.is_switch) continue;
      if (!kept) {
        ++elsewhere;
        continue;
      }
      const auto [host, device] = host_and_device(node);
      hosts[host].push_back({device, &cable, at_a});
    }
  }

  void add_hosts(Hosts& hosts, DiscoveredFabric& fabric) {
    match_hosts(hosts);
    assume_pcie(hosts);
    std::vector<std::string> left_out;
    std::vector<std::string> unknown;
    std::vector<std::string> uncabled;
    std::vector<std::string> in_planes;
    for (const auto& [name, adapters] : hosts) {
      Described* const like = described_.empty() ? nullptr : description_of(name, adapters);
      const std::vector<Nic> nics =
          like != nullptr ? like->nics.among(adapters) : detail::all_nics(adapters);
      if (nics.empty()) {
        left_out.push_back(name);
        continue;
      }
      std::ranges::move(detail::ports_without_nic(name, adapters, nics),
                        std::back_inserter(unknown));
      if (like != nullptr) {
        std::ranges::move(detail::nics_without_port(name, like->nics, nics),
                          std::back_inserter(uncabled));
      }
      std::ranges::move(detail::nics_with_ports(name, nics), std::back_inserter(in_planes));
      add_host(name, adapters.front(), like, nics);
    }
    const auto remark = [&fabric](std::string_view what, const std::vector<std::string>& all) {
      if (all.empty()) return;
      fabric.remarks.push_back(
          fmt::format("{}: {}, the first is {}", what, all.size(), all.front()));
    };
    remark("hosts without the NICs of the node are left out", left_out);
    remark("NICs without a port in the network have no cable", uncabled);
    remark("NICs with several cables, of which messages to another rank use one", in_planes);
    remark("ports of hosts for which the node has no NIC are left out", unknown);
    if (hardware_.empty()) refuse_all(hosts, left_out.empty() ? "" : left_out.front());
    add_nodes(fabric);
    remark_on_descriptions(fabric);
  }

  void remark_on_descriptions(DiscoveredFabric& fabric) const {
    if (described_.empty()) {
      fabric.remarks.push_back(
          fmt::format("the listing says nothing of the nodes: each NIC is taken to have one GPU "
                      "beside it, and {} as the fastest port needs (ringcast import nvidia-smi "
                      "BOX --fabric combines both)",
                      pcie_link(pcie_).link_class));
    }
    const auto has_rate = [](const IbNetwork::Cable& cable) { return !cable.rate.empty(); };
    if (!hints_.network.empty() && std::ranges::all_of(network_.cables, has_rate)) {
      fabric.remarks.push_back(
          fmt::format("each cable has its rate here: --network {} is not used", hints_.network));
    }
    for (const Described& each : described_) {
      if (described_.size() == 1) continue;
      fabric.remarks.push_back(
          fmt::format("hosts taken to be like {}: {}", each.nics.node().host, each.hosts));
    }
  }

  /// `missing`: a host without the NICs of the node; may be empty.
  [[noreturn]] void refuse_all(const Hosts& hosts, const std::string& missing) const {
    throw ScenarioError{
        missing.empty() ? fmt::format("{}: no host in it (expected adapters that are cabled to "
                                      "switches or to each other)",
                                      name_)
                        : fmt::format("{}: no host with the NICs of the node: that has {}, {} has "
                                      "{} (expected as many, or NICs of the same names or GUIDs)",
                                      name_, described_.front().nics.nics().size(), missing,
                                      hosts.at(missing).size())};
  }

  /// Sorts adapters by device, and finds the hosts that are described, by name or by GUID.
  void match_hosts(Hosts& hosts) {
    for (auto& [name, adapters] : hosts) {
      std::ranges::stable_sort(adapters, {}, [](const HostPort& adapter) {
        return std::pair{adapter.device.size(), adapter.device};  // mlx5_2 before mlx5_10
      });
      for (Described& each : described_) {
        if (each.nics.learn_guids(adapters)) described_as_.try_emplace(name, &each);
      }
      for (Described& each : described_) {
        if (is_same_host(name, each.nics.node().host)) described_as_.insert_or_assign(name, &each);
      }
    }
  }

  /// The host's own description, otherwise the first with the fewest NICs and ports unmatched.
  [[nodiscard]] Described* description_of(const std::string& name,
                                          const std::vector<HostPort>& adapters) {
    if (const auto own = described_as_.find(name); own != described_as_.end()) {
      return own->second;
    }
    return &*std::ranges::min_element(
        described_, {}, [&](const Described& each) { return each.nics.unmatched(adapters); });
  }

  void add_host(const std::string& name, const HostPort& first, Described* like,
                const std::vector<Nic>& nics) {
    HostHardware host =
        like != nullptr ? like->nics.node() : detail::host_with_nics(nics, pcie_, network_.tool);
    host.host = name;
    if (like != nullptr) ++like->hosts;
    nics_.push_back({like != nullptr ? &like->nics : nullptr, nics});
    const int above = first.peer();
    blocks_.push_back(network_.nodes[index(above)].is_block ? above : no_block);
    hardware_.push_back(std::move(host));
  }

  /// Merges the hosts of a rack, and adds the cables of all. Numbers the nodes as the cluster file
  /// does, which leaves out hosts without GPUs beside others.
  void add_nodes(DiscoveredFabric& fabric) {
    const auto has_gpus = [](const HostHardware& host) {
      return count_of(VertexKind::gpu, host) > 0;
    };
    const bool gpus = std::ranges::any_of(hardware_, has_gpus);
    int node = 0;
    for (const std::vector<std::size_t>& members : hosts_of_nodes(hardware_, blocks_)) {
      std::vector<HostHardware> of_node;
      of_node.reserve(members.size());
      for (const std::size_t host : members)
        of_node.push_back(hardware_[host]);
      nodes_.push_back(node_of(of_node));
      if (gpus && !has_gpus(nodes_.back())) continue;
      std::size_t nic = 0;
      for (const std::size_t host : members) {
        const auto& [like, nics] = nics_[host];
        for (const Nic& ports : nics) {
          for (const HostPort* port : ports)
            add_cable(fmt::format("node{}.nic{}", node, nic), *port, like, fabric);
          ++nic;
        }
      }
      ++node;
    }
    remark_on_racks(fabric);
  }

  void remark_on_racks(DiscoveredFabric& fabric) const {
    const auto is_rack = [](const HostHardware& node) { return node.hosts > 1; };
    if (std::ranges::none_of(nodes_, is_rack)) return;
    const bool has_blocks = std::ranges::count(blocks_, no_block) == 0;
    fabric.remarks.push_back(
        has_blocks ? "the hosts of a block are taken to share NVSwitches"
                   : fmt::format("up to {} hosts with consecutive names are taken to share "
                                 "NVSwitches (a topology/block file of Slurm's says which do)",
                                 trays_of_a_rack));
  }

  /// A cable between two hosts is added at its second end, when the NICs of both ends are known.
  void add_cable(const std::string& nic, const HostPort& port, const NodeNics* nics,
                 DiscoveredFabric& fabric) {
    const LinkChoice link = link_of(*port.cable, nics);
    if (is_switch(port.peer())) {
      fabric.cables.push_back({nic, id_of(port.peer()), link});
    } else if (const auto [known, is_first] = ends_.try_emplace(port.cable, nic); !is_first) {
      fabric.cables.push_back({known->second, nic, link});
    }
  }

  /// All hosts alike: a port that trained down says nothing of its host.
  void assume_pcie(const Hosts& hosts) {
    for (const auto& [name, adapters] : hosts) {
      for (const HostPort& port : adapters)
        pcie_ = std::max(pcie_, pcie_rate_for(link_of(*port.cable, nullptr).link_class));
    }
  }

  const std::string& name_;
  const IbNetwork& network_;
  const ImportHints& hints_;
  std::vector<Described> described_;
  std::map<std::string, Described*> described_as_;  // by host, its own description
  BytesPerSecond pcie_{0};                          // of hosts that are not described
  static constexpr int no_block = -1;
  std::vector<HostHardware> hardware_;  // of each host
  std::vector<int> blocks_;             // of each host, the switch of its block
  std::vector<std::pair<const NodeNics*, std::vector<Nic>>> nics_;  // of each of these
  std::vector<HostHardware> nodes_;
  std::map<const IbNetwork::Cable*, std::string>
      ends_;  // by cable between hosts, the NIC at its first end
};

}  // namespace

DiscoveredNodes nodes_on_network(const std::string& name, const IbNetwork& network,
                                 const std::vector<HostHardware>& described,
                                 const ImportHints& hints) {
  return NetworkNodes{name, network, described, hints}.build();
}

}  // namespace ringcast
