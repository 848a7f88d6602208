#include <algorithm>
#include <initializer_list>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/common/mapped.hpp"
#include "app/config/cluster/amd_peer_limits.hpp"
#include "app/config/cluster/cluster_parts.hpp"
#include "app/config/cluster/gpu_model_reader.hpp"
#include "app/config/cluster/link_names.hpp"
#include "app/config/yaml/nearest_name.hpp"
#include "topology/cluster/device_tree.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {

namespace {

std::optional<CableSpec> optional_cable(const InputNode& node, std::string_view key,
                                        const NamedCables& named,
                                        LinkUse use = LinkUse::parts_of_node) {
  const auto link = node.find(key);
  if (!link) return std::nullopt;
  return read_cable(use, *link, named);
}

CableSpec required_cable(const InputNode& node, const NamedCables& named, LinkUse use) {
  return read_cable(use, node.require("link", "the cable to what is above, e.g. pcie-3.0-x16"),
                    named);
}

/// GPUs are described by their links, and their model by one key of the node type.
void refuse_models(const InputNode& node, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const auto model = node.find(key);
    if (!model) continue;
    const LinkNames names = model->is_scalar() ? link_names(model->text()) : LinkNames{};
    const std::string links =
        names.what == "a GPU" ? fmt::format("; here {}", fmt::join(names.classes, " or ")) : "";
    model->fail("unknown key",
                fmt::format("GPUs by number and links, e.g. {{kind: gpu, count: 8, link: "
                            "pcie-5.0-x16}} under root_complexes{}, and their model as gpu of the "
                            "node type: docs/your-machine.md",
                            links));
  }
}

std::vector<DeviceSpec> read_devices(const InputNode& node, const NamedCables& named);

DeviceSpec read_device(const InputNode& node, const NamedCables& named) {
  refuse_models(node, {"gpu", "gpus", "gpu_model", "model"});
  node.allow_keys_of("device");
  const InputNode kind = node.require("kind", "gpu, pcie-switch or nic");
  DeviceSpec device{kind.one_of("kind", device_kinds),
                    node.count("count"),
                    required_cable(node, named, LinkUse::parts_of_node),
                    {}};
  const auto below = node.find("devices");
  if (below && device.kind != VertexKind::pcie_switch) {
    below->fail(fmt::format("devices below a {}", name_of(device.kind)),
                "them below a pcie-switch");
  }
  device.devices = read_devices(node, named);
  return device;
}

std::vector<DeviceSpec> read_devices(const InputNode& node, const NamedCables& named) {
  return mapped(node.items("devices"),
                [&](const InputNode& item) { return read_device(item, named); });
}

RootComplexSpec read_root_complex(const InputNode& node, const NamedCables& named) {
  node.allow_keys_of("root complex");
  return {node.count("count"), optional_cable(node, "link", named), read_devices(node, named)};
}

void read_processes(const InputNode& node, const NamedCables& named, SocketSpec& socket) {
  socket.process_cable = optional_cable(node, "process_link", named);
  const auto processes = node.find("processes");
  if (!processes) {
    for (const std::string_view key : {"process_link", "caches"}) {
      const auto unused = node.find(key);
      if (unused)
        unused->fail(fmt::format("{} without processes", key),
                     "processes beside it, e.g. processes: 16");
    }
    return;
  }
  socket.processes = processes->count();
  if (!socket.process_cable) {
    processes->fail("processes without process_link",
                    "what one core copies, e.g. process_link: {bandwidth: 9 GB/s, latency: 0, "
                    "source: ...}");
  }
}

/// Rates of more and more bytes.
std::vector<CachedRate> read_caches(const InputNode& socket) {
  std::vector<CachedRate> caches;
  for (const InputNode& item : socket.items("caches")) {
    item.allow_keys_of("caches entry");
    const InputNode touched = item.require("touched", "a size, e.g. 32 MiB");
    const Bytes size = touched.size();
    if (size <= (caches.empty() ? Bytes{0} : caches.back().touched)) {
      touched.fail(to_text(size), "more in each entry than in the one before");
    }
    caches.push_back({size, read_bandwidth(item.require("bandwidth", "a rate, e.g. 30 GB/s")),
                      read_limit(item, "reduce_rate"), read_limit(item, "lent_rate")});
  }
  return caches;
}

SocketSpec read_socket(const InputNode& node, const NamedCables& named) {
  node.allow_keys_of("socket");
  SocketSpec socket{node.count("count"), {}};
  socket.memory = read_limit(node, "memory");
  socket.staging_bandwidth = read_limit(node, "staging_bandwidth");
  read_processes(node, named, socket);
  socket.caches = read_caches(node);
  socket.root_complexes = mapped(node.items("root_complexes"), [&](const InputNode& item) {
    return read_root_complex(item, named);
  });
  return socket;
}

int read_gpu_number(const InputNode& node, std::int64_t gpus) {
  const int number = node.integer(0, std::numeric_limits<int>::max());
  if (number >= gpus) {
    node.fail(fmt::format("no GPU {}", number),
              gpus == 0 ? "a node with GPUs" : fmt::format("a GPU of the node, 0 to {}", gpus - 1));
  }
  return number;
}

NvlinkSpec read_nvlink(const InputNode& node, std::int64_t gpus, const NamedCables& named) {
  node.allow_keys_of("nvlinks entry");
  const InputNode between = node.require("between", "two GPUs, e.g. [0, 1]");
  const std::vector<InputNode> ends = between.items();
  if (ends.size() != 2) {
    between.fail(fmt::format("{} ends", ends.size()), "two GPUs, e.g. [0, 1]");
  }
  NvlinkSpec nvlink;
  nvlink.gpu_a = read_gpu_number(ends[0], gpus);
  nvlink.gpu_b = read_gpu_number(ends[1], gpus);
  if (nvlink.gpu_a == nvlink.gpu_b) between.fail("a GPU linked to itself", "two GPUs");
  nvlink.links = node.count("links");
  nvlink.cable = required_cable(node, named, LinkUse::gpus);
  const LinkClass* const link_class = find_link_class(nvlink.cable.base_class);
  if (link_class != nullptr && link_class->direct_achievable > BytesPerSecond{0} &&
      nvlink.cable.bandwidth == link_class->achievable) {
    nvlink.cable.bandwidth = link_class->direct_achievable;
  }
  return nvlink;
}

/// NVLinks between one pair of GPUs are parallel only as `links` of one entry.
std::vector<NvlinkSpec> read_nvlinks(const InputNode& node, std::int64_t gpus,
                                     const NamedCables& named) {
  std::set<std::pair<int, int>> pairs;
  return mapped(node.items("nvlinks"), [&](const InputNode& item) {
    NvlinkSpec nvlink = read_nvlink(item, gpus, named);
    const auto [first, second] = std::minmax(nvlink.gpu_a, nvlink.gpu_b);
    if (!pairs.emplace(first, second).second) {
      item.require("between", "two GPUs")
          .fail(fmt::format("GPUs {} and {} are repeated", first, second),
                "one entry for each two GPUs, with their number of links: e.g. links: 4");
    }
    return nvlink;
  });
}

/// A bandwidth of its own may stand for another link.
void check_vendor(const InputNode& cpu, std::string_view vendor,
                  const std::optional<CableSpec>& socket_cable) {
  if (!socket_cable) return;
  const LinkClass* const link = find_link_class(socket_cable->base_class);
  if (link == nullptr || socket_cable->bandwidth != link->achievable) return;
  const std::string_view joined = vendor_of_socket_link(link->name);
  if (joined.empty() || joined == vendor) return;
  cpu.fail(fmt::format("processors of {} beside socket_link {}, which joins those of {}", vendor,
                       link->name, joined),
           fmt::format("{}, or a socket_link of {}", joined, vendor));
}

/// The vendor of the processors: as the file says, else by the link between the sockets.
bool is_amd(const InputNode& node, const NodeTypeSpec& type) {
  const auto cpu = node.find("cpu");
  if (!cpu) return has_amd_socket_link(type);
  const std::string text = cpu->text("a vendor, e.g. amd");
  const std::string_view known = cpu_vendor(text);
  const std::string vendor =
      known.empty() ? cpu->one_of("vendor", cpu_vendors) : std::string{known};
  check_vendor(*cpu, vendor, type.socket_cable);
  return vendor == "amd";
}

NvswitchSpec read_nvswitch(const InputNode& node, const NamedCables& named) {
  node.allow_keys_of("nvswitch");
  const CableSpec cable = required_cable(node, named, LinkUse::gpus);
  // With a bandwidth of its own, one cable may stand for all links.
  const LinkClass* const single = find_link_class(cable.base_class);
  if (single != nullptr && nvlink_generation(single->name) &&
      cable.bandwidth == single->achievable) {
    static_cast<void>(node.require(
        "links_per_gpu", "the NVLinks of each GPU: 18 of H100 to B300, 12 of A100, 6 of V100"));
  }
  return {node.count("links_per_gpu"), cable};
}

void read_sockets(const InputNode& node, const NamedCables& named, NodeTypeSpec& type) {
  type.sockets = mapped(node.require("sockets", "a list").items(),
                        [&](const InputNode& item) { return read_socket(item, named); });
  check_parts(node, type);
  const std::int64_t sockets = parts_of(type).sockets;
  if (sockets > 1 && !type.socket_cable) {
    node.fail(fmt::format("{} sockets without a cable between them", sockets),
              "socket_link, e.g. qpi-9.6");
  }
}

/// What kernels read of an EPYC's memory, unless the file says it.
void limit_staging(const InputNode& node, NodeTypeSpec& type) {
  const auto cpu = node.find("cpu");
  if (!cpu) return;
  const BytesPerSecond known = staging_bandwidth_of(cpu->text());
  for (SocketSpec& socket : type.sockets)
    if (socket.staging_bandwidth == BytesPerSecond{0}) socket.staging_bandwidth = known;
}

}  // namespace

NodeTypeSpec read_node_type(std::string name, const InputNode& node, const NamedCables& named) {
  refuse_models(node, {"gpus", "gpu_model", "model"});
  node.allow_keys_of("node type");
  NodeTypeSpec type;
  type.name = std::move(name);
  type.socket_cable = optional_cable(node, "socket_link", named, LinkUse::sockets);
  read_sockets(node, named, type);
  if (const auto nics = node.find("nics")) place_nics(*nics, named, type);
  check_parts(node, type);
  if (is_amd(node, type)) set_amd_processors(type, named);
  limit_staging(node, type);
  type.nvlinks = read_nvlinks(node, parts_of(type).gpus, named);
  if (const auto nvswitch = node.find("nvswitch")) {
    type.nvswitch = read_nvswitch(*nvswitch, named);
  }
  read_gpu_model(node, type);
  return type;
}

}  // namespace ringcast
