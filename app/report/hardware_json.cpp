#include "app/report/hardware_json.hpp"

#include <nlohmann/json.hpp>

#include "app/report/unit_json.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

// From a rank to its launcher, of the same version: keys are the members' names.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HardwareDevice, kind, address, name, model, link, ports,
                                   port_rate, infiniband, rdma, down, port_class, guid, devices,
                                   link_class)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HardwareRoot, devices)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HardwareSocket, cpu, link_class, cores, numa_nodes, memory,
                                   root_complexes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HardwareNvlink, gpu_a, gpu_b, rate)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostHardware, host, source, tool, sockets, nvlinks, nvswitch,
                                   remarks)

std::string to_json(const HostHardware& host) {
  return nlohmann::json(host).dump();
}

HostHardware host_from_json(std::string_view text) {
  try {
    return nlohmann::json::parse(text).get<HostHardware>();
  } catch (const nlohmann::json::exception& error) {
    expect(false, "a host's hardware as text: {}", error.what());
    throw;
  }
}

}  // namespace ringcast
