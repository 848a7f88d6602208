#include "app/report/hardware_json.hpp"

#include <nlohmann/json.hpp>

#include "engine/numbers/error.hpp"

namespace nlohmann {

template <>
struct adl_serializer<ringcast::BytesPerSecond> {
  static void to_json(json& out, ringcast::BytesPerSecond rate) { out = rate.value(); }
  static void from_json(const json& in, ringcast::BytesPerSecond& rate) {
    rate = ringcast::BytesPerSecond{in.get<double>()};
  }
};
template <>
struct adl_serializer<ringcast::Bytes> {
  static void to_json(json& out, ringcast::Bytes size) { out = size.count(); }
  static void from_json(const json& in, ringcast::Bytes& size) {
    size = ringcast::Bytes{in.get<std::uint64_t>()};
  }
};

}  // namespace nlohmann

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
