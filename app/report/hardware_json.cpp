#include "app/report/hardware_json.hpp"

#include <nlohmann/json.hpp>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

template <typename Part, typename ToJson>
Json list_of(const std::vector<Part>& parts, const ToJson& to_json_object) {
  Json list = Json::array();
  for (const Part& part : parts) {
    list.push_back(to_json_object(part));
  }
  return list;
}

template <typename FromJson>
auto parts_of(const Json& list, const FromJson& from_json_object) {
  std::vector<decltype(from_json_object(list))> parts;
  parts.reserve(list.size());
  for (const Json& item : list) {
    parts.push_back(from_json_object(item));
  }
  return parts;
}

Json device_json(const HardwareDevice& device) {
  return {{"kind", static_cast<int>(device.kind)},
          {"address", device.address},
          {"name", device.name},
          {"model", device.model},
          {"link_bytes_per_s", device.link.value()},
          {"ports", device.ports},
          {"port_bytes_per_s", device.port_rate.value()},
          {"infiniband", device.infiniband},
          {"rdma", device.rdma},
          {"down", device.down},
          {"devices", list_of(device.devices, device_json)}};
}

HardwareDevice device_of(const Json& json) {
  return {.kind = static_cast<VertexKind>(json.at("kind").get<int>()),
          .address = json.at("address"),
          .name = json.at("name"),
          .model = json.at("model"),
          .link = BytesPerSecond{json.at("link_bytes_per_s").get<double>()},
          .ports = json.at("ports"),
          .port_rate = BytesPerSecond{json.at("port_bytes_per_s").get<double>()},
          .infiniband = json.at("infiniband"),
          .rdma = json.at("rdma"),
          .down = json.at("down"),
          .devices = parts_of(json.at("devices"), device_of)};
}

Json socket_json(const HardwareSocket& socket) {
  return {{"cpu", socket.cpu},
          {"link_class", socket.link_class},
          {"cores", socket.cores},
          {"numa_nodes", socket.numa_nodes},
          {"memory_bytes", socket.memory.count()},
          {"roots", list_of(socket.roots, [](const HardwareRoot& root) {
             return list_of(root.devices, device_json);
           })}};
}

HardwareSocket socket_of(const Json& json) {
  return {.cpu = json.at("cpu"),
          .link_class = json.at("link_class"),
          .cores = json.at("cores"),
          .numa_nodes = json.at("numa_nodes"),
          .memory = Bytes{json.at("memory_bytes").get<std::uint64_t>()},
          .roots = parts_of(json.at("roots"), [](const Json& root) {
            return HardwareRoot{parts_of(root, device_of)};
          })};
}

Json nvlink_json(const HardwareNvlink& nvlink) {
  return {{"gpu_a", nvlink.gpu_a}, {"gpu_b", nvlink.gpu_b}, {"bytes_per_s", nvlink.rate.value()}};
}

HardwareNvlink nvlink_of(const Json& json) {
  return {json.at("gpu_a"), json.at("gpu_b"), BytesPerSecond{json.at("bytes_per_s").get<double>()}};
}

}  // namespace

std::string to_json(const HostHardware& host) {
  const Json json = {{"host", host.host},
                     {"source", host.source},
                     {"sockets", list_of(host.sockets, socket_json)},
                     {"nvlinks", list_of(host.nvlinks, nvlink_json)},
                     {"nvswitch_bytes_per_s", host.nvswitch.value()},
                     {"remarks", host.remarks}};
  return json.dump();
}

HostHardware host_from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    return {.host = json.at("host"),
            .source = json.at("source"),
            .sockets = parts_of(json.at("sockets"), socket_of),
            .nvlinks = parts_of(json.at("nvlinks"), nvlink_of),
            .nvswitch = BytesPerSecond{json.at("nvswitch_bytes_per_s").get<double>()},
            .remarks = json.at("remarks")};
  } catch (const Json::exception& error) {
    expect(false, "a host's hardware as text: {}", error.what());
    throw;
  }
}

}  // namespace ringcast
