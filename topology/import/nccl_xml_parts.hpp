#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/import/host_hardware.hpp"
#include "topology/import/xml_file.hpp"

namespace ringcast::detail {

// The parts of nccl_xml_reader.cpp.

/// Parses a topology file. Throws ScenarioError if it is not one.
void load_topology(const XmlFile& file, pugi::xml_document& document);

/// The <cpu> elements of each host below <system>, in the order of the file. NCCL merges the files
/// of all hosts of an NVLink domain, and distinguishes the hosts by host_hash.
[[nodiscard]] std::vector<std::vector<pugi::xml_node>> cpus_of_hosts(const pugi::xml_node& system);

/// The rate of a PCIe link after line coding, from the attributes link_speed ("16 GT/s", "16.0 GT/s
/// PCIe") and link_width (lanes; 0 or none: 16); zero if the speed is unknown.
[[nodiscard]] BytesPerSecond link_rate(std::string_view speed, int lanes);

/// The family of an AMD processor as in /proc/cpuinfo: NCCL writes Zen 2 (23) as 143, the base
/// family plus 16 times the extended one.
[[nodiscard]] int amd_family(int familyid);

/// A product of gpu_models() by the architecture of an AMD GPU ("gfx942", "gfx90a:sramecc+") or, if
/// the file has none, by 10 times a compute capability; empty if unknown.
[[nodiscard]] std::string_view product_of(std::string_view gcn, int sm);

[[nodiscard]] bool is_of_amd(const pugi::xml_node& pci);
/// Whether a pci element is a GPU by its class: a display adapter, or AMD's accelerators.
[[nodiscard]] bool has_class_of_gpu(const pugi::xml_node& pci);

/// If no device below `system` is known as a GPU, assigns classes to devices without one, and
/// returns a remark about each. NCCL reads missing classes from the running system.
[[nodiscard]] std::vector<std::string> assume_classes(const pugi::xml_node& system);

/// The NVLinks from a GPU to a target, both by PCI address.
struct AddressedNvlinks {
  std::string gpu;
  std::string target;
  int count = 1;
  BytesPerSecond rate{0};  // of all of them
  bool to_switch = false;
};

/// Adds NVLinks to a host whose GPUs have addresses. Links to GPUs that the host does not have, or
/// of a GPU to itself, are omitted with a remark.
void add_nvlinks(const std::vector<AddressedNvlinks>& all, HostHardware& host);

/// Reads the <net> elements of a <nic>. Ports of one NIC share its PCIe link; NCCL uses all of
/// them, so they count as one. Implausible speeds are unknown, with a remark.
void read_ports(const pugi::xml_node& element, HardwareDevice& nic,
                std::vector<std::string>& remarks);

}  // namespace ringcast::detail
