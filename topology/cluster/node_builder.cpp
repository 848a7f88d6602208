#include "topology/cluster/node_builder.hpp"

#include <array>
#include <set>
#include <span>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "topology/cluster/add_cable.hpp"
#include "topology/cluster/index.hpp"
#include "topology/links/gpu_models.hpp"

namespace ringcast::detail {

namespace {

std::string_view prefix_of(VertexKind kind) {
  return kind == VertexKind::gpu ? "gpu" : kind == VertexKind::nic ? "nic" : "sw";
}

class NodeBuilder {
 public:
  explicit NodeBuilder(const NodeTypeSpec& type) : type_{type}, model_{find_gpu_model(type.gpu)} {}

  NodePlan build() {
    for (const SocketSpec& socket : type_.sockets) {
      for (int i = 0; i < socket.count; ++i)
        add_socket(socket);
    }
    join_sockets();
    add_nvlinks();
    add_nvswitch();
    mark_boards();
    return std::move(plan_);
  }

 private:
  int add_vertex(std::string_view prefix, VertexKind kind) {
    const int number = counts_.at(static_cast<std::size_t>(kind))++;
    plan_.vertices.push_back({fmt::format("{}{}", prefix, number), kind, 0});
    return static_cast<int>(plan_.vertices.size()) - 1;
  }

  void add_socket(const SocketSpec& spec) {
    const int socket = add_vertex("socket", VertexKind::cpu);
    plan_.vertices.back().memory = spec.memory;
    plan_.vertices.back().caches = spec.caches;
    plan_.vertices.back().amd = type_.amd;
    sockets_.push_back(socket);
    add_processes(socket, spec);
    const std::size_t others = gpus_.size();
    for (const RootComplexSpec& root : spec.root_complexes) {
      for (int i = 0; i < root.count; ++i)
        add_root_complex(socket, root);
    }
    for (const int gpu : std::span{gpus_}.subspan(others))
      plan_.vertices[index(gpu)].staging_bandwidth = spec.staging_bandwidth;
  }

  void add_processes(int socket, const SocketSpec& spec) {
    expect(spec.processes == 0 || spec.process_cable, "{} processes without a cable",
           spec.processes);
    for (int i = 0; i < spec.processes; ++i) {
      add_cable(add_vertex("process", VertexKind::process), socket, *spec.process_cable,
                plan_.cables);
    }
  }

  void add_root_complex(int socket, const RootComplexSpec& spec) {
    const int root = add_vertex("root", VertexKind::root_complex);
    if (spec.devices.empty()) {  // carries no traffic, but counts in the numbering
      plan_.vertices.pop_back();
      return;
    }
    // Without a cable, a root complex gets the sum of its devices' bandwidths, so that no assumed
    // number becomes the bottleneck.
    CableSpec all_below{"on-die", BytesPerSecond{0}, Seconds{0},
                        "no limit is known: the sum of the cables below"};
    for (const DeviceSpec& device : spec.devices) {
      all_below.bandwidth =
          all_below.bandwidth + static_cast<double>(device.count) * device.cable.bandwidth;
    }
    add_cable(root, socket, spec.cable.value_or(all_below), plan_.cables);
    for (const DeviceSpec& device : spec.devices) {
      add_device(root, device);
    }
  }

  void add_device(int parent, const DeviceSpec& spec) {
    for (int i = 0; i < spec.count; ++i) {
      const int device = add_vertex(prefix_of(spec.kind), spec.kind);
      add_cable(parent, device, spec.cable, plan_.cables);
      const bool writes = spec.kind == VertexKind::gpu || spec.kind == VertexKind::nic;
      if (writes && type_.socket_cable) {
        // Two MI100 that write at once reach twice the rate of one RTX 4090 (xgmi-2 in
        // socket_classes.cpp).
        plan_.vertices.back().socket_writes = type_.socket_cable->peer_bandwidth;
      }
      if (spec.kind == VertexKind::gpu) {
        gpus_.push_back(device);
        plan_.vertices.back().gpudirect = type_.gpudirect;
        plan_.vertices.back().gpu = type_.gpu;
        plan_.vertices.back().model = model_;
      }
      if (spec.kind == VertexKind::nic) {
        plan_.nics.push_back(device);
      }
      for (const DeviceSpec& below : spec.devices) {
        add_device(device, below);
      }
    }
  }

  void join_sockets() {
    expect(sockets_.size() < 2 || type_.socket_cable, "{} sockets without a cable between them",
           sockets_.size());
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
      for (std::size_t j = i + 1; j < sockets_.size(); ++j) {
        add_cable(sockets_[i], sockets_[j], *type_.socket_cable, plan_.cables);
      }
    }
  }

  void add_nvlinks() {
    for (const NvlinkSpec& nvlink : type_.nvlinks) {
      add_cable(gpus_.at(index(nvlink.gpu_a)), gpus_.at(index(nvlink.gpu_b)),
                bundle_of(nvlink.links, nvlink.cable), plan_.cables);
    }
  }

  void add_nvswitch() {
    if (!type_.nvswitch) {
      return;
    }
    plan_.vertices.push_back({"nvswitch", VertexKind::nvswitch, 0});
    const int nvswitch = static_cast<int>(plan_.vertices.size()) - 1;
    for (const int gpu : gpus_) {
      add_cable(gpu, nvswitch, bundle_of(type_.nvswitch->links_per_gpu, type_.nvswitch->cable),
                plan_.cables);
    }
  }

  /// Sets Vertex::on_board. Pairs connected by an NVLink bridge are PCIe cards.
  void mark_boards() {
    std::vector<std::set<int>> peers(gpus_.size());
    for (const NvlinkSpec& nvlink : type_.nvlinks) {
      peers[index(nvlink.gpu_a)].insert(nvlink.gpu_b);
      peers[index(nvlink.gpu_b)].insert(nvlink.gpu_a);
    }
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      const bool on_board = type_.nvswitch || peers[i].size() > 1;
      plan_.vertices[index(gpus_[i])].on_board = on_board;
    }
  }

  const NodeTypeSpec& type_;
  const GpuModel* model_;
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
