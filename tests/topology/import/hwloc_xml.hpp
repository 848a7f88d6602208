#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringcast {

// Machines as lstopo would write them, of the least that hwloc takes.

inline std::string info_xml(const std::string& key, const std::string& value) {
  return fmt::format("<info name=\"{}\" value=\"{}\"/>", key, value);
}

/// kind: hwloc's number: 1 GPU, 2 network, 3 OpenFabrics, 5 co-processor.
inline std::string system_device_xml(const std::string& name, int kind,
                                     const std::string& infos = "") {
  static int number = 5000;
  return fmt::format(
      "<object type=\"OSDev\" gp_index=\"{}\" name=\"{}\" osdev_type=\"{}\">{}"
      "</object>",
      ++number, name, kind, infos);
}

/// A PCI device by its class (0302 a GPU, 0200 Ethernet, 0207 InfiniBand), vendor, and GB/s.
inline std::string pci_xml(const std::string& address, const std::string& pci_class,
                           const std::string& vendor, double speed, const std::string& below = "") {
  static int number = 1000;
  return fmt::format(
      "<object type=\"PCIDev\" gp_index=\"{}\" pci_busid=\"{}\" "
      "pci_type=\"{} [{}:0001] [0000:0000] 00\" pci_link_speed=\"{:f}\">{}</object>",
      ++number, address, pci_class, vendor, speed, below);
}

inline std::string gpu_xml(const std::string& address, double speed = 15.753846) {
  return pci_xml(address, "0302", "10de", speed,
                 system_device_xml("cuda" + address.substr(5, 2), 5,
                                   info_xml("GPUModel", "Tesla V100-SXM2-16GB")));
}

inline std::string infiniband_xml(const std::string& address, const std::string& name,
                                  const std::string& state = "4") {
  return pci_xml(address, "0207", "15b3", 15.753846,
                 system_device_xml(name, 3, info_xml("Port1State", state)));
}

inline std::string ethernet_xml(const std::string& address, const std::string& name) {
  return pci_xml(address, "0200", "8086", 0, system_device_xml(name, 2));
}

inline std::string host_bridge_xml(const std::string& below) {
  static int number = 2000;
  return fmt::format(
      "<object type=\"Bridge\" gp_index=\"{}\" bridge_type=\"0-1\" depth=\"0\" "
      "bridge_pci=\"0000:[00-ff]\">{}</object>",
      ++number, below);
}

/// One end of a PCIe link: a root port, or a switch's upper end or port.
inline std::string port_xml(const std::string& address, double speed, const std::string& below) {
  static int number = 3000;
  return fmt::format(
      "<object type=\"Bridge\" gp_index=\"{}\" bridge_type=\"1-1\" depth=\"1\" "
      "bridge_pci=\"0000:[00-ff]\" pci_busid=\"{}\" "
      "pci_type=\"0604 [10b5:8796] [0000:0000] 00\" pci_link_speed=\"{:f}\">{}"
      "</object>",
      ++number, address, speed, below);
}

/// A machine of two cores per socket, each with `io` below; `after` stands at the end.
inline std::string machine_xml(const std::vector<std::string>& io, const std::string& after = "",
                               const std::string& host = "red-01") {
  const auto sets = [](unsigned cpus, unsigned nodes) {
    return fmt::format(
        "cpuset=\"{0:#010x}\" complete_cpuset=\"{0:#010x}\" nodeset=\"{1:#010x}\" "
        "complete_nodeset=\"{1:#010x}\"",
        cpus, nodes);
  };
  const auto sockets = static_cast<unsigned>(io.size());
  const std::string all = sets((1U << 2 * sockets) - 1, (1U << sockets) - 1);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
      "<topology version=\"2.0\">\n<object type=\"Machine\" os_index=\"0\" {} "
      "allowed_cpuset=\"{:#010x}\" allowed_nodeset=\"{:#010x}\" gp_index=\"1\">{}{}{}\n",
      all, (1U << 2 * sockets) - 1, (1U << sockets) - 1, info_xml("HostName", host),
      info_xml("Architecture", "x86_64"), info_xml("hwlocVersion", "2.9.0"));
  for (unsigned s = 0; s < sockets; ++s) {
    const unsigned node = 1U << s;
    text += fmt::format(
        "<object type=\"Package\" os_index=\"{}\" {} gp_index=\"{}\">{}{}{}{}\n"
        "<object type=\"NUMANode\" os_index=\"{}\" {} gp_index=\"{}\" "
        "local_memory=\"34359738368\"/>\n",
        s, sets(3U << 2 * s, node), 10 * s + 100, info_xml("CPUVendor", "GenuineIntel"),
        info_xml("CPUFamilyNumber", "6"), info_xml("CPUModelNumber", "85"),
        info_xml("CPUModel", "Xeon"), s, sets(3U << 2 * s, node), 10 * s + 101);
    for (unsigned core = 2 * s; core < 2 * s + 2; ++core) {
      text += fmt::format(
          "<object type=\"Core\" os_index=\"{0}\" {1} gp_index=\"{2}\">"
          "<object type=\"PU\" os_index=\"{0}\" {1} gp_index=\"{3}\"/></object>\n",
          core, sets(1U << core, node), 200 + core, 300 + core);
    }
    text += io[s] + "</object>\n";
  }
  return text + "</object>\n" + after + "</topology>\n";
}

}  // namespace ringcast
