// hwloc 3 writes the same tree as hwloc 2, with three changes that matter here (hwloc's NEWS, and
// topology-xml.c at open-mpi/hwloc 3b37b02):
//
// - osdev_type is a mask of several roles instead of one number;
// - information about the whole host (its name, its architecture) is below the topology, no longer
//   below its Machine;
// - the topology has elements that hwloc 2 does not know (pci_locality).
#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "topology/import/hwloc_xml.hpp"
#include "topology/import/xml_file.hpp"

namespace ringcast::detail {
namespace {

/// A role of an OS device: its bit in hwloc 3, its number in hwloc 2.
struct DeviceRole {
  unsigned bit;
  int number;
};
// The most specific role comes first: an NVML device is a GPU and a co-processor (12), an
// InfiniBand device belongs to the network and to OpenFabrics (48).
constexpr auto device_roles =
    std::to_array<DeviceRole>({{8, 5}, {32, 3}, {16, 2}, {4, 1}, {64, 4}, {1, 0}, {2, 0}});

struct RewriteDevices : pugi::xml_tree_walker {
  bool for_each(pugi::xml_node& node) override {
    if (pugi::xml_attribute type = node.attribute("osdev_type")) {
      const unsigned mask = type.as_uint();
      const auto* const role = std::ranges::find_if(
          device_roles, [mask](const DeviceRole& each) { return (mask & each.bit) != 0; });
      type.set_value(role == device_roles.end() ? 0 : role->number);
    }
    return true;
  }
};

/// Finds numbers that hwloc uses unchecked as enumerators and bits of sets; it reads a missing
/// index as 4294967295.
struct WrongNumbers : pugi::xml_tree_walker {
  bool for_each(pugi::xml_node& node) override {
    const std::string_view type = node.attribute("type").as_string();
    const unsigned index = node.attribute("os_index").as_uint(highest_index + 1);
    const std::string_view bridge = node.attribute("bridge_type").as_string("0-1");
    const bool indexed = type == "PU" || type == "NUMANode";
    if (std::string_view{node.name()} == "object" && indexed && index > highest_index) {
      found = node;
      problem = fmt::format("{} with os_index \"{}\" (expected 0 to {})", type,
                            node.attribute("os_index").value(), highest_index);
      return false;
    }
    if (bridge != "0-1" && bridge != "1-1") {
      found = node;
      problem = fmt::format("bridge_type \"{}\" (expected 0-1 or 1-1)", bridge);
    } else if (node.attribute("osdev_type").as_uint() > last_role) {
      found = node;
      problem = fmt::format("osdev_type \"{}\" (expected 0 to {})",
                            node.attribute("osdev_type").value(), last_role);
    }
    return found.empty();
  }

  static constexpr unsigned last_role = 6;          // memory, since hwloc 2.10
  static constexpr unsigned highest_index = 65535;  // Linux has 8192 processors at most
  pugi::xml_node found;
  std::string problem;
};

std::string rewritten(pugi::xml_document& document) {
  pugi::xml_node topology = document.document_element();
  topology.attribute("version").set_value("2.0");
  pugi::xml_node machine = topology.child("object");
  for (pugi::xml_node child = topology.first_child(); !child.empty();) {
    const pugi::xml_node next = child.next_sibling();
    const std::string_view kind = child.name();
    if (kind == "info" && !machine.empty()) {
      machine.prepend_copy(child);
    }
    if (kind != "object" && !kind.starts_with("distances2")) {
      topology.remove_child(child);
    }
    child = next;
  }
  RewriteDevices devices;
  document.traverse(devices);
  std::ostringstream text;
  document.save(text, "", pugi::format_raw);
  return text.str();
}

}  // namespace

std::string hwloc2_xml(const std::string& name, const std::string& xml) {
  const XmlFile file{name, xml};
  pugi::xml_document document;
  file.parse(document, "what lstopo --of xml printed, whole and unchanged");
  const pugi::xml_node topology = document.document_element();
  if (std::string_view{topology.name()} != "topology") {
    file.refuse(topology,
                fmt::format("the element {} (expected topology: what lstopo --of xml printed)",
                            topology.name()));
  }
  const int version = topology.attribute("version").as_int(1);
  if (version < 1 || version > 3) {
    file.refuse(topology,
                fmt::format("hwloc's XML of version {} (expected 3 at most: lstopo --of xml "
                            "--export-xml-flags v2)",
                            topology.attribute("version").value()));
  }
  std::string text = version == 3 ? rewritten(document) : xml;
  WrongNumbers wrong;
  document.traverse(wrong);
  if (!wrong.found.empty()) {
    file.refuse(wrong.found, wrong.problem);
  }
  return text;
}

}  // namespace ringcast::detail
