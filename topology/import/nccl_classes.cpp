// Files that clouds ship for one type of machine may contain only addresses (AWS's g5.48xlarge).
// Then an unidentified device is assumed to be a GPU. If the file has no NIC, and a NUMA
// node has more such devices than another, it is assumed to have as many GPUs as that one; its
// further devices, which such files list last, are assumed to be NICs.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "topology/import/nccl_xml_parts.hpp"

namespace ringcast::detail {
namespace {

struct UnknownDevices : pugi::xml_tree_walker {
  bool for_each(pugi::xml_node& node) override {
    const std::string_view name = node.name();
    const std::string_view device_class = node.attribute("class").value();
    has_gpu = has_gpu || name == "gpu" || has_class_of_gpu(node);
    has_nic = has_nic || name == "nic" || device_class.starts_with("0x02");
    if (name == "pci" && device_class.empty() && !node.child("pci") && !node.child("nic")) {
      found.push_back(node);
    }
    return true;
  }

  std::vector<pugi::xml_node> found;
  bool has_gpu = false;
  bool has_nic = false;
};

/// Returns a remark.
std::string assume_class(pugi::xml_node device, bool gpu) {
  device.remove_attribute("class");  // an empty one
  device.append_attribute("class").set_value(gpu ? "0x030200" : "0x020000");
  return fmt::format("pci {} is taken to be a {}, it has no class",
                     device.attribute("busid").value(), gpu ? "GPU" : "NIC");
}

}  // namespace

bool is_of_amd(const pugi::xml_node& pci) {
  return std::string_view{pci.attribute("vendor").value()} == "0x1002";
}

bool has_class_of_gpu(const pugi::xml_node& pci) {
  const std::string_view device_class = pci.attribute("class").value();
  return device_class.starts_with("0x03") || (is_of_amd(pci) && device_class.starts_with("0x12"));
}

std::vector<std::string> assume_classes(const pugi::xml_node& system) {
  bool has_gpu = false;
  bool has_nic = false;
  std::vector<std::vector<pugi::xml_node>> of_numa_nodes;
  for (pugi::xml_node cpu : system.children("cpu")) {
    UnknownDevices unknown;
    cpu.traverse(unknown);
    has_gpu = has_gpu || unknown.has_gpu;
    has_nic = has_nic || unknown.has_nic;
    if (!unknown.found.empty()) {
      of_numa_nodes.push_back(std::move(unknown.found));
    }
  }
  std::vector<std::string> lines;
  if (has_gpu || of_numa_nodes.empty()) {
    return lines;
  }
  const std::size_t fewest = std::ranges::min(of_numa_nodes, {}, [](const auto& devices) {
                               return devices.size();
                             }).size();
  for (const std::vector<pugi::xml_node>& devices : of_numa_nodes) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
      lines.push_back(assume_class(devices[i], has_nic || i < fewest));
    }
  }
  return lines;
}

}  // namespace ringcast::detail
