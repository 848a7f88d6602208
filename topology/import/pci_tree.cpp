#include "topology/import/pci_tree.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <hwloc.h>

#include "topology/import/adapter_class.hpp"

namespace ringcast::detail {
namespace {

// PCI's codes of classes and vendors (the PCI ID repository, pci.ids).
constexpr unsigned display_class = 0x03;
constexpr unsigned accelerator_class = 0x12;  // Instinct MI210 and later; also of other devices
constexpr unsigned vga_class = 0x0300;
constexpr unsigned network_class = 0x02;
constexpr unsigned ethernet_class = 0x0200;
constexpr unsigned nvidia = 0x10de;
constexpr unsigned amd = 0x1002;

bool is_pci_bridge(const hwloc_obj& object) {
  return object.type == HWLOC_OBJ_BRIDGE &&
         object.attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI;
}

/// The attributes of a PCI device, or of a bridge's upstream port.
const hwloc_obj_attr_u::hwloc_pcidev_attr_s& pci_of(const hwloc_obj& object) {
  return object.type == HWLOC_OBJ_BRIDGE ? object.attr->bridge.upstream.pci : object.attr->pcidev;
}

template <typename Visit>
void for_each_io_child(const hwloc_obj& object, const Visit& visit) {
  for (const hwloc_obj* child = object.io_first_child; child != nullptr;
       child = child->next_sibling) {
    visit(*child);
  }
}

int bridges_below(const hwloc_obj& bridge) {
  int count = 0;
  for_each_io_child(bridge, [&](const hwloc_obj& child) { count += is_pci_bridge(child) ? 1 : 0; });
  return count;
}

/// The rate of a device's link; zero if it is implausible.
BytesPerSecond hwloc_rate(const hwloc_obj& object) {
  constexpr double fastest = 1000;  // GB/s; PCIe 7.0 x16 is a quarter of it
  const auto rate = static_cast<double>(pci_of(object).linkspeed);
  return BytesPerSecond{rate > 0 && rate < fastest ? rate * 1e9 : 0.0};
}

/// The OS devices of some kinds that a PCI device provides.
std::vector<const hwloc_obj*> system_devices(const hwloc_obj& device,
                                             std::initializer_list<hwloc_obj_osdev_type_t> kinds) {
  std::vector<const hwloc_obj*> found;
  for_each_io_child(device, [&](const hwloc_obj& child) {
    if (child.type == HWLOC_OBJ_OS_DEVICE &&
        std::ranges::find(kinds, child.attr->osdev.type) != kinds.end()) {
      found.push_back(&child);
    }
  });
  return found;
}

/// Whether each port of an RDMA device is up; some NICs have one device for all their ports.
std::vector<bool> ports_up(const hwloc_obj& rdma) {
  std::vector<bool> up;
  while (true) {
    const std::string state = info_of(rdma, fmt::format("Port{}State", up.size() + 1).c_str());
    if (state.empty()) return up;
    up.push_back(state == "4");  // active (ibv_port_state)
  }
}

/// Whether two addresses are equal up to the last `sign`: `.` for functions of one NIC, `:` for
/// devices on one bus.
bool same_up_to(char sign, const HardwareDevice& a, const HardwareDevice& b) {
  return a.address.substr(0, a.address.rfind(sign)) == b.address.substr(0, b.address.rfind(sign));
}

/// By its name in pci.ids, since sysfs of another host is not available.
bool is_named_virtual(const HardwareDevice& nic) {
  return nic.model.find("Virtual Function") != std::string::npos;
}

}  // namespace

std::string printable(const char* text) {
  std::string clean = text == nullptr ? "" : text;
  std::ranges::replace_if(
      clean, [](char c) { return c < ' ' || c > '~'; }, '?');
  return clean;
}

std::string info_of(const hwloc_obj& object, const char* name) {
  return printable(hwloc_obj_get_info_by_name(const_cast<hwloc_obj*>(&object), name));
}

/// By the class of a PCI device, or as a network controller with RDMA.
bool is_of_infiniband(unsigned class_id, bool rdma) {
  constexpr unsigned infiniband_class = 0x0207;
  if (class_id == infiniband_class) return true;
  return rdma && class_id >> 8U == network_class && class_id != ethernet_class;
}

std::string address_of(const hwloc_obj& pci_device) {
  const auto& pci = pci_of(pci_device);
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus, pci.dev, pci.func);
}

/// The device and the port above it both report a link speed. These should agree, but an idle end
/// may report less; sysfs has the maximum of each end.
BytesPerSecond PciTree::link_of(const hwloc_obj& device) const {
  const hwloc_obj* const port = device.parent;
  const bool below_port = port != nullptr && is_pci_bridge(*port);
  if (rates_ != nullptr) {
    const BytesPerSecond most = rates_->pcie_link(address_of(device));
    const BytesPerSecond of_port =
        below_port ? rates_->pcie_link(address_of(*port)) : BytesPerSecond{0};
    if (most > BytesPerSecond{0}) {
      return narrower(most, of_port);
    }
  }
  return below_port ? std::max(hwloc_rate(device), hwloc_rate(*port)) : hwloc_rate(device);
}

std::optional<HardwareDevice> PciTree::gpu_of(const hwloc_obj& device) const {
  const auto& pci = pci_of(device);
  const auto os_devices = system_devices(device, {HWLOC_OBJ_OSDEV_COPROC, HWLOC_OBJ_OSDEV_GPU});
  const bool computes = std::ranges::any_of(os_devices, [](const hwloc_obj* os_device) {
    return os_device->attr->osdev.type == HWLOC_OBJ_OSDEV_COPROC;
  });
  const unsigned kind = pci.class_id >> 8U;
  const bool is_instinct = kind == accelerator_class && pci.vendor_id == amd;
  if (kind != display_class && !is_instinct && !computes) {
    return std::nullopt;
  }
  // Display adapters of vendors other than NVIDIA and AMD are usually for the console.
  if (pci.class_id == vga_class && pci.vendor_id != nvidia && pci.vendor_id != amd && !computes) {
    remarks_.push_back(fmt::format("display adapter {}: left out, nothing says that it computes",
                                   address_of(device)));
    return std::nullopt;
  }
  HardwareDevice gpu;
  gpu.address = address_of(device);
  gpu.model = info_of(device, "PCIDevice");
  gpu.link = link_of(device);
  for (const hwloc_obj* os_device : os_devices) {
    if (gpu.name.empty()) {
      gpu.name = printable(os_device->name);
    }
    if (const std::string model = info_of(*os_device, "GPUModel"); !model.empty()) {
      gpu.model = model;
    }
  }
  return gpu;
}

std::optional<HardwareDevice> PciTree::nic_of(const hwloc_obj& device) const {
  const auto& pci = pci_of(device);
  const auto interfaces = system_devices(device, {HWLOC_OBJ_OSDEV_NETWORK});
  const auto rdma = system_devices(device, {HWLOC_OBJ_OSDEV_OPENFABRICS});
  if (pci.class_id >> 8U != network_class && interfaces.empty() && rdma.empty()) {
    return std::nullopt;
  }
  HardwareDevice nic;
  nic.kind = VertexKind::nic;
  nic.address = address_of(device);
  nic.model = info_of(device, "PCIDevice");
  nic.link = link_of(device);
  nic.ports = 1;
  nic.infiniband = is_of_infiniband(pci.class_id, !rdma.empty());
  nic.port_class = adapter_class(pci.vendor_id, pci.device_id);
  nic.rdma = !rdma.empty() || !nic.port_class.empty();
  nic.down = !interfaces.empty() && rates_ != nullptr;
  for (const hwloc_obj* interface : interfaces) {
    nic.name = printable(interface->name);
    if (rates_ != nullptr) {
      nic.port_rate = std::max(nic.port_rate, rates_->interface_rate(interface->name));
      nic.down = nic.down && rates_->interface_down(interface->name);
    }
  }
  for (const hwloc_obj* os_device : rdma) {
    nic.name = printable(os_device->name);
    if (const std::string guid = adapter_guid(info_of(*os_device, "SysImageGUID")); !guid.empty()) {
      nic.guid = guid;
    }
    const std::vector<bool> up = ports_up(*os_device);
    nic.ports = std::max(1, static_cast<int>(std::ranges::count(up, true)));
    nic.down = !up.empty() && std::ranges::count(up, true) == 0;
    if (rates_ != nullptr) {
      nic.port_rate = std::max(nic.port_rate, rates_->rdma_rate(os_device->name));
    }
  }
  return nic;
}

std::optional<HardwareDevice> PciTree::device_of(const hwloc_obj& device) const {
  if (rates_ != nullptr && rates_->is_virtual_function(address_of(device))) {
    return std::nullopt;
  }
  if (auto gpu = gpu_of(device)) {
    return gpu;
  }
  return nic_of(device);
}

void PciTree::add_device(const hwloc_obj& device, std::vector<HardwareDevice>& devices) const {
  const auto added = device_of(device);
  if (!added) {
    return;
  }
  const auto nic_like = [&](char sign) {
    return std::ranges::find_if(devices, [&, sign](const HardwareDevice& known) {
      return known.kind == VertexKind::nic && added->kind == VertexKind::nic &&
             same_up_to(sign, known, *added);
    });
  };
  // Omits a virtual function if its bus has another function of a NIC; a virtual machine has only
  // virtual functions.
  const auto on_bus = nic_like(':');
  if (on_bus != devices.end() && is_named_virtual(*added) && !is_named_virtual(*on_bus)) {
    return;
  }
  const auto other = nic_like('.');
  if (other == devices.end()) {
    devices.push_back(*added);
    return;
  }
  // Another port of the same NIC. A port that is down does not count.
  if (other->down == added->down) {
    other->ports += added->ports;
    add_port_name(added->name, *other);
    other->port_rate = std::max(other->port_rate, added->port_rate);
  } else if (other->down) {
    *other = *added;
  }
}

/// Bridges alternate downwards: a root port, a switch's upstream port, that switch's downstream
/// ports, the next switch's upstream port. `is_port`: the bridge is a root or downstream port.
void PciTree::add_bridge(const hwloc_obj& bridge, bool is_port,
                         std::vector<HardwareDevice>& devices) const {
  if (is_port) {
    add_below(bridge, false, devices);
    return;
  }
  // A bridge without bridges below is part of a NIC, not a switch.
  if (bridges_below(bridge) == 0) {
    add_below(bridge, true, devices);
    return;
  }
  HardwareDevice pcie_switch;
  pcie_switch.kind = VertexKind::pcie_switch;
  pcie_switch.address = address_of(bridge);
  pcie_switch.model = info_of(bridge, "PCIDevice");
  pcie_switch.link = link_of(bridge);
  add_below(bridge, true, pcie_switch.devices);
  if (!pcie_switch.devices.empty()) {
    devices.push_back(std::move(pcie_switch));
  }
}

void PciTree::add_below(const hwloc_obj& bridge, bool bridges_are_ports,
                        std::vector<HardwareDevice>& devices) const {
  const bool below_host = !is_pci_bridge(bridge);
  for_each_io_child(bridge, [&](const hwloc_obj& child) {
    if (child.type == HWLOC_OBJ_PCI_DEVICE) {
      add_device(child, devices);
    } else if (is_pci_bridge(child)) {
      // Virtual machines show switches without the root port above. A port has one child.
      const bool hidden_port = below_host && bridges_below(child) > 1;
      add_bridge(child, bridges_are_ports && !hidden_port, devices);
    }
  });
}

std::vector<HardwareDevice> PciTree::below_host_bridge(const hwloc_obj& bridge) const {
  std::vector<HardwareDevice> devices;
  add_below(bridge, true, devices);
  return devices;
}

}  // namespace ringcast::detail
