#include "topology/import/nvlink_rack.hpp"

#include <algorithm>

#include <fmt/format.h>

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
  for (const HostHardware& tray : trays.subspan(1)) {
    rack.sockets.insert(rack.sockets.end(), tray.sockets.begin(), tray.sockets.end());
    rack.nvswitch = std::min(rack.nvswitch, tray.nvswitch);
    for (const std::string& remark : tray.remarks) {
      if (std::ranges::find(rack.remarks, remark) == rack.remarks.end()) {
        rack.remarks.push_back(remark);
      }
    }
  }
  rack.remarks.push_back(
      fmt::format("{} hosts are one node, as NVSwitches join their GPUs", rack.hosts));
  return rack;
}

HostHardware node_of(std::span<const HostHardware> hosts) {
  return hosts.size() > 1 ? rack_of(hosts) : hosts.front();
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
