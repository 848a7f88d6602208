#include "app/config/cluster/cluster_text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/config/cluster/amd_peer_limits.hpp"
#include "app/config/cluster/cable_reader.hpp"
#include "app/config/cluster/cluster_cables.hpp"
#include "app/config/cluster/cluster_doubts.hpp"
#include "app/config/cluster/cluster_writer.hpp"
#include "topology/cluster/part_of_cluster.hpp"
#include "topology/import/hardware_links.hpp"
#include "topology/import/host_list.hpp"
#include "topology/links/gpu_models.hpp"

namespace ringcast {
namespace {

bool has_gpus(const DiscoveredType& type) {
  return count_of(VertexKind::gpu, type.hardware) > 0;
}

/// Calls `visit(first, count)` for each run of equal parts.
template <typename Part, typename Visit>
void for_each_run(const std::vector<Part>& parts, const Visit& visit) {
  for (auto first = parts.begin(); first != parts.end();) {
    const auto last = std::find_if(first, parts.end(),
                                   [first](const Part& part) { return !alike(part, *first); });
    visit(*first, static_cast<int>(last - first));
    first = last;
  }
}

/// Turns discovered hardware into a cluster and remarks on it.
class DiscoveredCluster {
 public:
  explicit DiscoveredCluster(const DiscoveredNodes& nodes)
      : nodes_{nodes}, gpus_{std::ranges::any_of(nodes.types, has_gpus)} {
    for (const DiscoveredType& type : nodes_.types)
      if (is_ranked(type)) ranked_hosts_ += type.hosts.size();
  }

  std::string text() {
    add_head();
    for (const DiscoveredType& type : nodes_.types)
      if (is_ranked(type)) add_type(type);
    add_nodes();
    if (ranked_hosts_ > 1) {
      add_fabric();
    } else {
      add_notes("nodes", remarks_without_network(nodes_));
    }
    return to_yaml(spec_, remarks_);
  }

 private:
  [[nodiscard]] const std::string& tool() const { return nodes_.types.front().hardware.tool; }
  [[nodiscard]] bool is_ranked(const DiscoveredType& type) const {
    return !gpus_ || has_gpus(type);
  }

  /// A fabric that a tool reported has the cables of all ports; otherwise one port is cabled.
  [[nodiscard]] std::string remark_on(const HardwareDevice& device) const {
    std::string text = device.model.empty() ? device.name : device.model;
    if (device.ports > 1) {
      text += fmt::format("{}{} ports{}", text.empty() ? "" : ", ", device.ports,
                          nodes_.fabric ? "" : ", of which the fabric joins one");
    }
    return text;
  }

  /// Names a cable. Link classes keep their names; anything else becomes an entry of `links`,
  /// called `wanted` or, if that is another cable, `wanted-2`.
  CableSpec cable(const LinkChoice& choice, const std::string& wanted) {
    CableSpec cable = cable_of(choice);
    cable.name = cable.link_class;
    if (!choice.assumed && choice.bandwidth == BytesPerSecond{0}) return cable;
    std::vector<std::string> remark;
    if (choice.assumed) remark = {std::string{assumed_mark} + choice.why};
    cable.name = wanted;
    for (int number = 2;; ++number) {
      cable.link_class = cable.name;
      std::vector<std::string>& above = remarks_.above["links." + cable.name];
      const auto [known, is_new] = links_.emplace(cable.name, cable);
      if (is_new) above = remark;
      if (known->second == cable && above == remark) return cable;
      cable.name = fmt::format("{}-{}", wanted, number);
    }
  }

  void add_notes(const std::string& path, const std::vector<std::string>& remarks) {
    for (const std::string& remark : remarks)
      remarks_.above[path].push_back(std::string{note_mark} + remark);
  }

  void add_head() {
    std::vector<std::string>& head = remarks_.above[""];
    head = {"The hardware that " + tool() +
                " reports. It cannot know everything: check the lines below",
            "each \"assumed\". The ranks are the " +
                std::string{gpus_ ? "GPUs, in the order of the PCIe tree."
                                  : "cores: there is no GPU. Change `processes` for others."}};
    for (const DiscoveredType& type : nodes_.types) {
      if (is_ranked(type)) continue;
      head.push_back(fmt::format("{}hosts without GPUs are left out: {}", note_mark,
                                 listed_hosts(type.hosts)));
    }
  }

  void add_type(const DiscoveredType& type) {
    const HostHardware host = with_nic(type.hardware);
    const std::string path = "node_types." + type.name;
    add_notes(path, host.remarks);
    remarks_.above[path + ".sockets"] = {
        tool() + " reports no memory bandwidth: without `memory: 40 GB/s` it limits nothing."};
    NodeTypeSpec spec;
    spec.name = type.name;
    spec.amd = host.sockets.front().link_class.starts_with("host-amd-");
    add_model(host, path, spec);
    if (host.sockets.size() > 1) spec.socket_cable = cable(socket_link(host), "sockets");
    for_each_run(host.sockets, [&](const HardwareSocket& socket, int count) {
      add_socket(socket, count, path, spec);
      if (gpus_ && has_whole_sockets(host))
        spec.sockets.back().staging_bandwidth = staging_bandwidth_of(socket.cpu);
    });
    add_nvlinks(host, spec);
    spec_.node_types.push_back(std::move(spec));
  }

  /// Adds the model of the GPUs, if all are of one that is known, and what its driver lacks.
  void add_model(const HostHardware& host, const std::string& path, NodeTypeSpec& spec) {
    std::set<const GpuModel*> models;
    for_each_device_of(host, [&](const HardwareDevice& device) {
      if (device.kind != VertexKind::gpu) return;
      const GpuModel* const model = find_gpu_model(device.model);
      models.insert(model);
      spec.gpu = device.model;
      if (model == nullptr || model->gpudirect) return;
      spec.gpudirect = false;
      remarks_.above[path + ".gpudirect"] = {fmt::format(
          "{}the driver has no GPUDirect over PCIe for {}", assumed_mark, device.model)};
    });
    if (models.size() != 1 || models.contains(nullptr)) spec.gpu.clear();
  }

  [[nodiscard]] HostHardware with_nic(HostHardware host) const {
    if (ranked_hosts_ > 1 && count_of(VertexKind::nic, host) == 0) add_assumed_nic(host);
    return host;
  }

  void add_socket(const HardwareSocket& socket, int count, const std::string& type_path,
                  NodeTypeSpec& type) {
    const std::string path = fmt::format("{}.sockets[{}]", type_path, type.sockets.size());
    if (socket.cores > 0) {
      remarks_.above[path] = {fmt::format("{}{} cores, {:.1f} GiB in {}",
                                          socket.cpu.empty() ? "" : socket.cpu + ", ", socket.cores,
                                          static_cast<double>(socket.memory.count()) / (1U << 30U),
                                          counted(socket.numa_nodes, "NUMA node"))};
    }
    SocketSpec& spec = type.sockets.emplace_back();
    spec.count = count;
    if (!gpus_) {
      spec.processes = socket.cores;
      spec.process_cable = cable(process_link(), "process");
    }
    for_each_run(socket.root_complexes, [&](const HardwareRoot& root, int roots) {
      const std::string at = fmt::format("{}.root_complexes[{}]", path, spec.root_complexes.size());
      spec.root_complexes.push_back({roots, {}, devices(root.devices, at)});
    });
  }

  std::vector<DeviceSpec> devices(const std::vector<HardwareDevice>& all, const std::string& of) {
    std::vector<DeviceSpec> specs;
    for_each_run(all, [&](const HardwareDevice& device, int count) {
      const std::string path = fmt::format("{}.devices[{}]", of, specs.size());
      if (std::string remark = remark_on(device); !remark.empty())
        remarks_.beside[path] = std::move(remark);
      const CableSpec up =
          cable(device_link(device, tool()), device.link_class.empty() ? "pcie" : "c2c");
      specs.push_back({device.kind, count, up, devices(device.devices, path)});
    });
    return specs;
  }

  void add_nvlinks(const HostHardware& host, NodeTypeSpec& spec) {
    std::string model;
    for_each_device_of(host, [&](const HardwareDevice& device) {
      if (device.kind == VertexKind::gpu) model = device.model;
    });
    for (const HardwareNvlink& pair : host.nvlinks) {
      const NvlinkChoice choice = nvlink(pair.rate, model, tool());
      spec.nvlinks.push_back({pair.gpu_a, pair.gpu_b, choice.links, cable(choice.link, "nvlink")});
    }
    if (host.nvswitch > BytesPerSecond{0}) {
      const NvlinkChoice choice = nvlink(host.nvswitch, model, tool());
      spec.nvswitch = NvswitchSpec{choice.links, cable(choice.link, "nvlink")};
    }
  }

  /// Nodes are in the order of the hosts, which is that of the ranks. Racks have no names.
  void add_nodes() {
    std::vector<std::size_t> seen(nodes_.types.size());
    std::vector<std::string> hosts;
    for (const std::size_t place : nodes_.type_of) {
      const DiscoveredType& type = nodes_.types[place];
      hosts.push_back(type.hosts[seen[place]++]);
      if (!is_ranked(type)) continue;
      if (spec_.nodes.empty() || spec_.nodes.back().type != type.name) {
        spec_.nodes.push_back({type.name, 0});
      }
      ++spec_.nodes.back().count;
      spec_.nodes.back().hosts.push_back(hosts.back());
    }
    const bool named = ranked_hosts_ > 1 && are_host_names(hosts_of_nodes(spec_));
    for (std::size_t i = 0; !named && i < spec_.nodes.size(); ++i) {
      remarks_.beside[fmt::format("nodes[{}]", i)] =
          all_hosts(std::exchange(spec_.nodes[i].hosts, {}));
    }
    spec_.name = listed_hosts(hosts);
    spec_.source = fmt::format("{} on {}", nodes_.types.front().hardware.source, spec_.name);
  }

  void add_discovered_fabric(const DiscoveredFabric& discovered) {
    const DiscoveredFabric fabric = with_hosts(discovered, hosts_of_nodes(spec_));
    add_notes("fabric.kind", fabric.remarks);
    spec_.explicit_fabric = ExplicitFabricSpec{fabric.switches, {}};
    for (const DiscoveredFabric::Cable& each : fabric.cables)
      spec_.explicit_fabric->cables.push_back({each.from, each.to, cable(each.link, "network")});
  }

  void add_fabric() {
    if (nodes_.fabric) {
      add_discovered_fabric(*nodes_.fabric);
      return;
    }
    remarks_.above["fabric.kind"] = {std::string{assumed_mark} + tool() +
                                     " sees no network switches; all NICs are taken to be at one "
                                     "that blocks nothing"};
    if (std::ranges::any_of(nodes_.types, [this](const DiscoveredType& type) {
          return is_ranked(type) && has_unequal_nics(type.hardware);
        })) {
      add_cable_of_each_nic();
    } else {
      spec_.single_switch = SingleSwitchSpec{1, cable(network_link(slowest_nic()), "network")};
    }
  }

  void add_cable_of_each_nic() {
    DiscoveredFabric fabric;
    int node = 0;
    for (const std::size_t place : nodes_.type_of) {
      const DiscoveredType& type = nodes_.types[place];
      if (is_ranked(type)) join_to_switch(with_nic(type.hardware), node++, fabric);
    }
    add_discovered_fabric(fabric);
  }

  [[nodiscard]] HardwareDevice slowest_nic() const {
    HardwareDevice nic;
    nic.port_class = nodes_.types.front().hardware.port_class;
    for (const DiscoveredType& type : nodes_.types) {
      for_each_device_of(type.hardware, [&](const HardwareDevice& device) {
        if (is_ranked(type) && device.kind == VertexKind::nic &&
            (nic.kind != VertexKind::nic || device.port_rate < nic.port_rate)) {
          nic = device;
        }
      });
    }
    return nic;
  }

  const DiscoveredNodes& nodes_;
  bool gpus_;
  std::size_t ranked_hosts_ = 0;
  std::map<std::string, CableSpec> links_;
  ClusterSpec spec_;
  YamlRemarks remarks_;
};

}  // namespace

std::string cluster_text(const DiscoveredNodes& nodes) {
  return DiscoveredCluster{nodes}.text();
}

}  // namespace ringcast
