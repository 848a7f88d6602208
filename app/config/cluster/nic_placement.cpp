#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "app/config/cluster/cluster_parts.hpp"
#include "engine/numbers/ascii.hpp"

namespace ringcast {

namespace {

// `count` means identical copies, and a NIC makes one of them different. So the tree is expanded
// first: every count of a socket, root complex or switch becomes that many entries.

std::vector<DeviceSpec>& below(DeviceSpec& device) {
  return device.devices;
}
std::vector<DeviceSpec>& below(RootComplexSpec& root) {
  return root.devices;
}
std::vector<RootComplexSpec>& below(SocketSpec& socket) {
  return socket.root_complexes;
}

/// GPUs and NICs keep their count, as no NIC can be attached below them.
bool has_places(const DeviceSpec& device) {
  return device.kind == VertexKind::pcie_switch;
}
template <typename Part>
bool has_places(const Part& /*socket_or_root*/) {
  return true;
}

template <typename Part>
std::vector<Part> written_out(const std::vector<Part>& parts) {
  std::vector<Part> all;
  for (Part part : parts) {
    below(part) = written_out(below(part));
    const int copies = has_places(part) ? std::exchange(part.count, 1) : 1;
    all.insert(all.end(), static_cast<std::size_t>(copies), part);
  }
  return all;
}

/// A device list and the NICs to add to it.
struct Place {
  std::vector<DeviceSpec>* devices;
  std::vector<DeviceSpec> nics;
};

/// Root complexes and switches in the order of their numbers in build_cluster().
struct Places {
  std::vector<Place> roots;
  std::vector<Place> switches;
};

void collect_switches(std::vector<DeviceSpec>& devices, Places& places) {
  for (DeviceSpec& device : devices) {
    if (device.kind != VertexKind::pcie_switch) continue;
    places.switches.push_back({&device.devices, {}});
    collect_switches(device.devices, places);
  }
}

Places places_of(NodeTypeSpec& type) {
  Places places;
  for (SocketSpec& socket : type.sockets) {
    for (RootComplexSpec& root : socket.root_complexes) {
      places.roots.push_back({&root.devices, {}});
      collect_switches(root.devices, places);
    }
  }
  return places;
}

std::string expected_places(const Places& places) {
  const auto all = [](std::string_view prefix, std::size_t count) {
    return count == 1 ? fmt::format("{}0", prefix)
                      : fmt::format("{0}0 to {0}{1}", prefix, count - 1);
  };
  std::string text = all("root", places.roots.size());
  if (!places.switches.empty()) text += ", " + all("sw", places.switches.size());
  return text;
}

Place& place_named(const InputNode& at, Places& places) {
  const std::string name = at.text();
  for (const auto& [prefix, lists] : {std::pair{std::string_view{"root"}, &places.roots},
                                      std::pair{std::string_view{"sw"}, &places.switches}}) {
    if (!name.starts_with(prefix)) continue;
    const auto number = number_of<std::size_t>(std::string_view{name}.substr(prefix.size()));
    if (number && *number < lists->size()) return (*lists)[*number];
  }
  at.fail(fmt::format("no place {} in the node", in_quotes(name)), expected_places(places));
}

void read_nic(const InputNode& node, const NamedCables& named, Places& places) {
  node.allow_keys_of("nics entry");
  Place& place = place_named(node.require("at", "a root complex or switch, e.g. root0"), places);
  DeviceSpec nic;
  nic.kind = VertexKind::nic;
  nic.count = node.count("count");
  nic.cable = read_cable(LinkUse::parts_of_node,
                         node.require("link", "the cable to the NIC, e.g. pcie-3.0-x16"), named);
  place.nics.push_back(std::move(nic));
}

/// From the highest number to the lowest: an insertion invalidates the pointers of the switches
/// after it.
void insert_nics(std::vector<Place> places) {
  std::ranges::reverse(places);
  for (Place& place : places) {
    std::ranges::move(place.nics, std::back_inserter(*place.devices));
  }
}

}  // namespace

void place_nics(const InputNode& nics, const NamedCables& named, NodeTypeSpec& type) {
  type.sockets = written_out(type.sockets);
  Places places = places_of(type);
  for (const InputNode& item : nics.items())
    read_nic(item, named, places);
  insert_nics(std::move(places.switches));
  insert_nics(std::move(places.roots));
}

}  // namespace ringcast
