#include <fmt/format.h>
#include <pugixml.hpp>

#include "topology/import/nccl_xml_parts.hpp"

namespace ringcast::detail {
namespace {

/// NCCL prints the bytes of a GUID, the first of which is the most significant, as a number of a
/// little-endian processor.
std::string guid_of(const pugi::xml_node& net) {
  const std::string reversed = adapter_guid(net.attribute("guid").value());
  std::string guid;
  for (std::size_t at = reversed.size(); at > 0; at -= 2) {
    guid += reversed.substr(at - 2, 2);
  }
  return guid;
}

}  // namespace

void read_ports(const pugi::xml_node& element, HardwareDevice& nic,
                std::vector<std::string>& remarks) {
  constexpr double unlikely = 10e6;  // Mb/s; RCCL's tool has files with 200000000 for 200 Gb/s
  double megabits = 0;
  bool known = true;
  bool any = false;
  for (const pugi::xml_node net : element.children("net")) {
    const std::string name = net.attribute("name").value();
    const double speed = net.attribute("speed").as_double();
    if (!(speed < unlikely)) {
      known = false;
      remarks.push_back(fmt::format("net {}: speed {} is no NIC's in Mb/s; taken to be unknown",
                                    name, net.attribute("speed").value()));
    }
    any = any || speed > 0;
    megabits += speed > 0 ? speed : 10'000;  // NCCL's default
    add_port_name(name, nic);
    nic.rdma = nic.rdma || !name.starts_with("eth");
    ++nic.ports;
    if (const std::string guid = guid_of(net); !guid.empty()) {
      nic.guid = guid;
    }
  }
  if (nic.ports > 0 && !any) {
    known = false;
    remarks.push_back(fmt::format("net {}: no speed; taken to be unknown", nic.name));
  }
  nic.port_rate = BytesPerSecond{known ? megabits * 1e6 / 8 : 0.0};
  if (nic.ports > 1) {
    nic.model = fmt::format("{} ports as one", nic.ports);
    nic.ports = 1;
  }
}

}  // namespace ringcast::detail
