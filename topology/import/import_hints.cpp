#include "topology/import/import_hints.hpp"

#include "engine/numbers/error.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {

BytesPerSecond reported_rate(std::string_view link_class) {
  const LinkClass* const known = find_link_class(link_class);
  expect(known != nullptr, "no link class {}", link_class);
  return known->raw;
}

void apply_hints(const ImportHints& hints, HostHardware& host) {
  for (HardwareSocket& socket : host.sockets)
    if (!hints.sockets.empty()) socket.link_class = hints.sockets;
  for_each_device_of(host, [&](HardwareDevice& device) {
    if (device.kind == VertexKind::nic && !hints.network.empty()) {
      device.port_class = hints.network;
    }
  });
}

}  // namespace ringcast
