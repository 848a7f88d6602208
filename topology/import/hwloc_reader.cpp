#include "topology/import/hwloc_reader.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <hwloc.h>

#include "engine/numbers/error.hpp"
#include "topology/import/hardware_links.hpp"
#include "topology/import/hwloc_nvlinks.hpp"
#include "topology/import/hwloc_xml.hpp"
#include "topology/import/pci_tree.hpp"
#include "topology/links/gpu_models.hpp"

namespace ringcast {
namespace {

struct DestroyTopology {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using HwlocTopology = std::unique_ptr<hwloc_topology, DestroyTopology>;

HwlocTopology new_topology() {
  // Otherwise hwloc prints errors to standard error.
  setenv("HWLOC_HIDE_ERRORS", "2", 0);  // NOLINT(concurrency-mt-unsafe): no threads here
  hwloc_topology_t topology = nullptr;
  expect(hwloc_topology_init(&topology) == 0, "hwloc_topology_init");
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
  return HwlocTopology{topology};
}

std::vector<hwloc_obj_t> objects(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> all;
  for (hwloc_obj_t object = hwloc_get_next_obj_by_type(topology, type, nullptr); object != nullptr;
       object = hwloc_get_next_obj_by_type(topology, type, object)) {
    all.push_back(object);
  }
  return all;
}

/// Reads one loaded topology.
class HostReader {
 public:
  HostReader(hwloc_topology_t topology, const SystemRates* rates)
      : topology_{topology}, tree_{rates, host_.remarks} {}

  /// `gpu`: the model of the GPUs; empty: as hwloc says.
  HostHardware read(const std::string& gpu) {
    hwloc_obj* const machine = hwloc_get_root_obj(topology_);
    host_.host = detail::info_of(*machine, "HostName");
    const std::string version = detail::info_of(*machine, "hwlocVersion");  // the writer's
    host_.source = version.empty() ? "hwloc" : "hwloc " + version;
    packages_ = objects(topology_, HWLOC_OBJ_PACKAGE);
    if (packages_.empty()) {
      packages_.push_back(machine);
    }
    host_.sockets.reserve(packages_.size());
    for (hwloc_obj* const package : packages_) {
      host_.sockets.push_back(socket_of(package));
    }
    walk(machine, 0);
    add_devices_without_bridge();
    remark_on_idle_gpus();
    detail::add_links_between_gpus(topology_, gpu, host_);
    choose_nics(host_);
    return std::move(host_);
  }

 private:
  [[nodiscard]] int cores_of(hwloc_obj_t package) const {
    const int cores =
        hwloc_get_nbobjs_inside_cpuset_by_type(topology_, package->cpuset, HWLOC_OBJ_CORE);
    return cores > 0 ? cores : std::max(1, hwloc_bitmap_weight(package->cpuset));
  }

  [[nodiscard]] HardwareSocket socket_of(hwloc_obj_t package) const {
    HardwareSocket socket;
    socket.cpu = detail::info_of(*package, "CPUModel");
    socket.link_class = socket_link_class(
        {.vendor = detail::info_of(*package, "CPUVendor"),
         .family = detail::info_of(*package, "CPUFamilyNumber"),
         .model = detail::info_of(*package, "CPUModelNumber"),
         .name = socket.cpu,
         .architecture = detail::info_of(*hwloc_get_root_obj(topology_), "Architecture")});
    socket.cores = cores_of(package);
    for (hwloc_obj* const numa : objects(topology_, HWLOC_OBJ_NUMANODE)) {
      // A GPU's memory can be a NUMA node without cores.
      if (hwloc_bitmap_iszero(numa->cpuset) == 0 &&
          hwloc_bitmap_isincluded(numa->cpuset, package->cpuset) != 0) {
        ++socket.numa_nodes;
        socket.memory += Bytes{numa->attr->numanode.local_memory};
      }
    }
    return socket;
  }

  /// Host bridges are children of the object to which they are local.
  void walk(hwloc_obj_t object, std::size_t socket) {
    const auto package = std::ranges::find(packages_, object);
    if (package != packages_.end()) {
      socket = static_cast<std::size_t>(package - packages_.begin());
    }
    for (hwloc_obj_t child = object->io_first_child; child != nullptr;
         child = child->next_sibling) {
      add_io(*child, object, socket);
    }
    for (unsigned i = 0; i < object->arity; ++i) {
      walk(object->children[i], socket);
    }
  }

  void add_io(const hwloc_obj& child, hwloc_obj_t place, std::size_t socket) {
    if (child.type == HWLOC_OBJ_BRIDGE) {
      HardwareRoot root{tree_.below_host_bridge(child)};
      if (!root.devices.empty()) {
        check_place(place, root.devices.front().address);
        host_.sockets[socket].root_complexes.push_back(std::move(root));
      }
    } else if (child.type == HWLOC_OBJ_PCI_DEVICE) {
      if (auto device = tree_.device_of(child)) {
        check_place(place, device->address);
        without_bridge_[socket].push_back(std::move(*device));
      }
    } else if (child.type == HWLOC_OBJ_OS_DEVICE &&
               child.attr->osdev.type == HWLOC_OBJ_OSDEV_COPROC) {
      host_.remarks.push_back(fmt::format("GPU {}: left out, hwloc does not know its PCI address",
                                          detail::printable(child.name)));
    }
  }

  void check_place(hwloc_obj_t place, const std::string& address) {
    const bool in_socket = std::ranges::any_of(packages_, [place](hwloc_obj_t package) {
      return hwloc_bitmap_isincluded(place->cpuset, package->cpuset) != 0;
    });
    if (packages_.size() > 1 && !in_socket) {
      host_.remarks.push_back(fmt::format(
          "root complex of {}: hwloc does not know the socket, the first is taken", address));
    }
  }

  void add_devices_without_bridge() {
    for (auto& [socket, devices] : without_bridge_) {
      host_.remarks.push_back(
          fmt::format("{}: hwloc shows no bridges, one root complex for the whole socket is taken",
                      devices.front().address));
      host_.sockets[socket].root_complexes.push_back({std::move(devices)});
    }
  }

  void remark_on_idle_gpus() {
    std::vector<const HardwareDevice*> idle;
    std::vector<const HardwareDevice*> narrow;
    for_each_device_of(host_, [&](const HardwareDevice& device) {
      if (device.kind != VertexKind::gpu) return;
      if (runs_as_pcie_1(device.link)) {
        idle.push_back(&device);
      } else if (is_far_below_its_model(device)) {
        narrow.push_back(&device);
      }
    });
    if (!idle.empty()) {
      host_.remarks.push_back(fmt::format(
          "GPU {}: its link runs as PCIe 1.0, to which idle GPUs lower it; look again under load",
          first_of(idle)));
    }
    if (!narrow.empty()) {
      host_.remarks.push_back(
          fmt::format("GPU {}: its link runs at {}, but the model has {}; idle GPUs lower it, or "
                      "the slot has fewer lanes; look again under load",
                      first_of(narrow), to_text(narrow.front()->link),
                      find_gpu_model(narrow.front()->model)->pcie_class));
    }
  }

  /// `0000:04:00.0 and 2 others`
  static std::string first_of(const std::vector<const HardwareDevice*>& gpus) {
    const std::size_t others = gpus.size() - 1;
    return gpus.front()->address +
           (others == 0 ? "" : fmt::format(" and {} other{}", others, others == 1 ? "" : "s"));
  }

  hwloc_topology_t topology_;
  HostHardware host_;
  detail::PciTree tree_;
  std::vector<hwloc_obj_t> packages_;
  std::map<std::size_t, std::vector<HardwareDevice>> without_bridge_;  // by socket
};

}  // namespace

HostHardware this_host(const SystemRates& rates) {
  const HwlocTopology topology = new_topology();
  if (hwloc_topology_load(topology.get()) != 0) {
    throw BackendUnavailable{"hwloc: cannot look at this machine (expected a readable /sys)"};
  }
  // HWLOC_XMLFILE makes hwloc describe another machine.
  const bool here = hwloc_topology_is_thissystem(topology.get()) != 0;
  HostHardware host = HostReader{topology.get(), here ? &rates : nullptr}.read("");
  assume_gpus({}, "hwloc", host);
  apply_hints({}, host);
  return host;
}

HostHardware host_of_xml(const std::string& name, const std::string& xml,
                         const ImportHints& hints) {
  const HwlocTopology topology = new_topology();
  const std::string checked = detail::checked_hwloc_xml(name, detail::hwloc2_xml(name, xml));
  // The size includes the final zero.
  const int size = static_cast<int>(checked.size()) + 1;
  expect(hwloc_topology_set_xmlbuffer(topology.get(), checked.c_str(), size) == 0 &&
             hwloc_topology_load(topology.get()) == 0,
         "hwloc does not read what it wrote of {}", name);
  HostHardware host = HostReader{topology.get(), nullptr}.read(hints.gpu);
  assume_gpus(hints, "hwloc", host);
  apply_hints(hints, host);
  if (host.host.empty()) {
    host.host = detail::printable(std::filesystem::path{name}.stem().c_str());
  }
  return host;
}

}  // namespace ringcast
