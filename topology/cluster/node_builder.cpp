#include "topology/cluster/node_builder.hpp"

#include <array>
#include <set>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"

namespace ringcast::detail {

namespace {

std::string times(int count, const std::string& link_class) {
  return count == 1 ? link_class : fmt::format("{} x {}", count, link_class);
}

class NodeBuilder {
 public:
  explicit NodeBuilder(const NodeTypeSpec& type) : type_{type} {}

  NodePlan build() {
    for (const SocketSpec& socket : type_.sockets) {
      repeat(socket.count, "socket", [&] { add_socket(socket); });
    }
    join_sockets();
    add_nvlinks();
    add_nvswitch();
    mark_boards();
    return std::move(plan_);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    throw ScenarioError{fmt::format("node type {}: {}", type_.name, problem)};
  }

  void check_count(int count, std::string_view what) const {
    if (count < 1) {
      refuse(fmt::format("{} of a {} (expected at least 1)", count, what));
    }
  }

  template <typename Add>
  void repeat(int count, std::string_view what, const Add& add) const {
    check_count(count, what);
    for (int i = 0; i < count; ++i) {
      add();
    }
  }

  int add_vertex(std::string_view prefix, VertexKind kind) {
    const int number = counts_.at(static_cast<std::size_t>(kind))++;
    plan_.vertices.push_back({fmt::format("{}{}", prefix, number), kind, 0});
    return static_cast<int>(plan_.vertices.size()) - 1;
  }

  void add_cable(int a, int b, const CableSpec& cable, int links = 1) {
    plan_.cables.push_back({a, b, static_cast<double>(links) * cable.bandwidth, cable.latency,
                            times(links, cable.link_class), cable.source,
                            static_cast<double>(links) * cable.peer_bandwidth,
                            static_cast<double>(links) * cable.both_ways,
                            static_cast<double>(links) * cable.kernel_bandwidth, cable.base_class});
  }

  void add_socket(const SocketSpec& spec) {
    const int socket = add_vertex("socket", VertexKind::cpu);
    plan_.vertices.back().memory = spec.memory;
    plan_.vertices.back().caches = spec.caches;
    plan_.vertices.back().amd = type_.amd;
    sockets_.push_back(socket);
    add_processes(socket, spec);
    for (const RootComplexSpec& root : spec.root_complexes) {
      repeat(root.count, "root complex", [&] { add_root_complex(socket, root); });
    }
  }

  void add_processes(int socket, const SocketSpec& spec) {
    if (spec.processes < 0 || (spec.processes > 0 && !spec.process_cable)) {
      refuse(fmt::format("{} processes on a socket (expected none, or a cable for them)",
                         spec.processes));
    }
    for (int i = 0; i < spec.processes; ++i) {
      add_cable(add_vertex("process", VertexKind::process), socket, *spec.process_cable);
    }
  }

  void add_root_complex(int socket, const RootComplexSpec& spec) {
    const int root = add_vertex("root", VertexKind::root_complex);
    if (spec.devices.empty()) {  // it carries nothing, but has a number
      plan_.vertices.pop_back();
      return;
    }
    // A root complex without a cable of its own gets the sum of its devices' bandwidths: no
    // invented number becomes the bottleneck.
    CableSpec all_below{"on-die", BytesPerSecond{0}, Seconds{0},
                        "no limit is known: the sum of the cables below"};
    for (const DeviceSpec& device : spec.devices) {
      all_below.bandwidth =
          all_below.bandwidth + static_cast<double>(device.count) * device.cable.bandwidth;
    }
    add_cable(root, socket, spec.cable.value_or(all_below));
    for (const DeviceSpec& device : spec.devices) {
      add_device(root, device);
    }
  }

  void add_device(int parent, const DeviceSpec& spec) {
    check_count(spec.count, name_of(spec.kind));
    for (int i = 0; i < spec.count; ++i) {
      const int device = add_vertex(prefix_of(spec), spec.kind);
      add_cable(parent, device, spec.cable);
      if (spec.kind == VertexKind::gpu) {
        gpus_.push_back(device);
        plan_.vertices.back().gpudirect = type_.gpudirect;
      }
      if (spec.kind == VertexKind::nic) {
        plan_.nics.push_back(device);
      }
      for (const DeviceSpec& below : spec.devices) {
        add_device(device, below);
      }
    }
  }

  [[nodiscard]] std::string_view prefix_of(const DeviceSpec& spec) const {
    if (spec.kind == VertexKind::pcie_switch) {
      return "sw";
    }
    if (!spec.devices.empty()) {
      refuse(fmt::format("devices below a {} (expected them below a PCIe switch)",
                         name_of(spec.kind)));
    }
    if (spec.kind == VertexKind::gpu) {
      return "gpu";
    }
    if (spec.kind == VertexKind::nic) {
      return "nic";
    }
    refuse(fmt::format("a {} as a PCIe device (expected a gpu, a PCIe switch or a network card)",
                       name_of(spec.kind)));
  }

  void join_sockets() {
    if (sockets_.size() > 1 && !type_.socket_cable) {
      refuse(fmt::format("{} sockets without a cable between them (expected socket_cable)",
                         sockets_.size()));
    }
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
      for (std::size_t j = i + 1; j < sockets_.size(); ++j) {
        add_cable(sockets_[i], sockets_[j], *type_.socket_cable);
      }
    }
  }

  [[nodiscard]] int gpu(int number) const {
    if (number < 0 || number >= static_cast<int>(gpus_.size())) {
      refuse(fmt::format("an NVLink to gpu {} (expected one of the {} GPUs, counted from 0)",
                         number, gpus_.size()));
    }
    return gpus_[static_cast<std::size_t>(number)];
  }

  void add_nvlinks() {
    for (const NvlinkSpec& nvlink : type_.nvlinks) {
      if (nvlink.links < 1) {
        refuse(fmt::format("{} NVLinks from gpu {} to gpu {} (expected at least 1)", nvlink.links,
                           nvlink.gpu_a, nvlink.gpu_b));
      }
      if (nvlink.gpu_a == nvlink.gpu_b) {
        refuse(fmt::format("an NVLink from gpu {} to itself (expected two GPUs)", nvlink.gpu_a));
      }
      add_cable(gpu(nvlink.gpu_a), gpu(nvlink.gpu_b), nvlink.cable, nvlink.links);
    }
  }

  void add_nvswitch() {
    if (!type_.nvswitch) {
      return;
    }
    if (type_.nvswitch->links_per_gpu < 1) {
      refuse(fmt::format("an NVSwitch with {} links per GPU (expected at least 1)",
                         type_.nvswitch->links_per_gpu));
    }
    plan_.vertices.push_back({"nvswitch", VertexKind::nvswitch, 0});
    const int nvswitch = static_cast<int>(plan_.vertices.size()) - 1;
    for (const int gpu : gpus_) {
      add_cable(gpu, nvswitch, type_.nvswitch->cable, type_.nvswitch->links_per_gpu);
    }
  }

  /// Not the pairs that a bridge joins, whose GPUs are PCIe cards.
  void mark_boards() {
    std::vector<std::set<int>> peers(gpus_.size());
    for (const NvlinkSpec& nvlink : type_.nvlinks) {
      peers[static_cast<std::size_t>(nvlink.gpu_a)].insert(nvlink.gpu_b);
      peers[static_cast<std::size_t>(nvlink.gpu_b)].insert(nvlink.gpu_a);
    }
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      const bool on_board = type_.nvswitch || peers[i].size() > 1;
      plan_.vertices[static_cast<std::size_t>(gpus_[i])].on_board = on_board;
    }
  }

  const NodeTypeSpec& type_;
  NodePlan plan_;
  std::vector<int> sockets_;
  std::vector<int> gpus_;
  std::array<int, vertex_kinds> counts_{};  // by VertexKind
};

}  // namespace

NodePlan plan_node(const NodeTypeSpec& type) {
  return NodeBuilder{type}.build();
}

}  // namespace ringcast::detail
