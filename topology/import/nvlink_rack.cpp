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

int hosts_per_domain(int hosts, int domain) {
  int each = std::min(hosts, domain);
  while (hosts % each != 0)
    --each;
  return each;
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

std::vector<HostHardware> equal_hosts(HostHardware host, int count) {
  if (is_tray_of_nvl72(host)) {
    const int each = hosts_per_domain(count, trays_of_a_rack);
    count /= each;
    if (each > 1) host = rack_of(std::vector(static_cast<std::size_t>(each), host));
  }
  std::vector<HostHardware> hosts(static_cast<std::size_t>(count), host);
  number_hosts(hosts);
  return hosts;
}

}  // namespace ringcast
