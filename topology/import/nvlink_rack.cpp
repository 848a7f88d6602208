#include "topology/import/nvlink_rack.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "topology/import/node_types.hpp"
#include "topology/links/gpu_models.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {
namespace {

template <typename Condition>
bool all_gpus(const HostHardware& host, const Condition& condition) {
  bool all = true;
  for_each_device_of(host, [&](const HardwareDevice& device) {
    if (device.kind == VertexKind::gpu) all = all && condition(device);
  });
  return all;
}

bool is_tray_of_nvl72(const HostHardware& host) {
  return is_tray(host) && all_gpus(host, [](const HardwareDevice& gpu) {
           const GpuModel* const model = find_gpu_model(gpu.model);
           return model != nullptr && nvlink_generation(model->nvlink_class).value_or(0) >= 5;
         });
}

std::string remark_on_rack(const HostHardware& rack) {
  return fmt::format("{} hosts are one node, as NVSwitches join their GPUs", rack.hosts);
}

using Indices = std::vector<std::size_t>;

void add_racks(const Indices& trays, std::vector<Indices>& racks) {
  auto first = trays.begin();
  for (const NvlinkDomains& domains :
       nvlink_domains(static_cast<int>(trays.size()), trays_of_a_rack)) {
    for (int i = 0; i < domains.count; ++i) {
      racks.emplace_back(first, first + domains.hosts);
      first += domains.hosts;
    }
  }
}

}  // namespace

std::vector<NvlinkDomains> nvlink_domains(int hosts, int domain) {
  const int fewest = (hosts + domain - 1) / domain;
  int count = fewest;
  while (hosts % count != 0)
    ++count;
  if (2 * count >= 3 * fewest) count = fewest;
  const int each = hosts / count;
  const int larger = hosts % count;
  if (larger == 0) return {{each, count}};
  return {{each + 1, larger}, {each, count - larger}};
}

bool is_tray(const HostHardware& host) {
  return host.hosts == 1 && host.nvswitch > BytesPerSecond{0} &&
         all_gpus(host, [](const HardwareDevice& gpu) { return gpu.link_class == "nvlink-c2c"; });
}

HostHardware rack_of(std::span<const HostHardware> trays) {
  HostHardware rack = trays.front();
  rack.hosts = static_cast<int>(trays.size());
  std::vector<std::string> names{rack.host};
  for (const HostHardware& tray : trays.subspan(1)) {
    rack.sockets.insert(rack.sockets.end(), tray.sockets.begin(), tray.sockets.end());
    if (tray.host != names.back()) names.push_back(tray.host);
    rack.nvswitch = std::min(rack.nvswitch, tray.nvswitch);
    for (const std::string& remark : tray.remarks) {
      if (std::ranges::find(rack.remarks, remark) == rack.remarks.end()) {
        rack.remarks.push_back(remark);
      }
    }
  }
  rack.host = listed_hosts(names);
  rack.remarks.push_back(remark_on_rack(rack));
  return rack;
}

HostHardware node_of(std::span<const HostHardware> hosts) {
  return hosts.size() > 1 ? rack_of(hosts) : hosts.front();
}

std::vector<std::vector<std::size_t>> hosts_of_nodes(std::span<const HostHardware> hosts,
                                                     std::span<const int> blocks) {
  std::vector<Indices> nodes;
  std::map<int, std::vector<Indices>> trays;  // by block, those that are alike
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    if (!is_tray_of_nvl72(hosts[host])) {
      nodes.push_back({host});
      continue;
    }
    std::vector<Indices>& of_block = trays[blocks[host]];
    const auto known = std::ranges::find_if(of_block, [&](const Indices& trays_of_one_kind) {
      return alike(hosts[trays_of_one_kind.front()], hosts[host]);
    });
    (known == of_block.end() ? of_block.emplace_back() : *known).push_back(host);
  }
  for (const auto& [block, kinds] : trays) {
    for (const Indices& of_one_kind : kinds)
      add_racks(of_one_kind, nodes);
  }
  std::ranges::sort(nodes);
  return nodes;
}

std::optional<HostHardware> tray_of(const HostHardware& rack) {
  const auto hosts = static_cast<std::size_t>(rack.hosts);
  const std::size_t sockets = rack.sockets.size() / hosts;
  HostHardware tray = rack;
  tray.hosts = 1;
  tray.sockets.resize(sockets);
  std::erase(tray.remarks, remark_on_rack(rack));
  for (std::size_t i = 0; i < rack.sockets.size(); ++i) {
    if (sockets * hosts != rack.sockets.size() ||
        !alike(rack.sockets[i], tray.sockets[i % sockets])) {
      return std::nullopt;
    }
  }
  return tray;
}

std::vector<HostHardware> equal_hosts(const HostHardware& host, int count) {
  std::vector<HostHardware> hosts;
  for (const NvlinkDomains& domains :
       nvlink_domains(count, is_tray_of_nvl72(host) ? trays_of_a_rack : 1)) {
    const std::vector trays(static_cast<std::size_t>(domains.hosts), host);
    hosts.insert(hosts.end(), static_cast<std::size_t>(domains.count), node_of(trays));
  }
  number_hosts(hosts);
  return hosts;
}

}  // namespace ringcast
