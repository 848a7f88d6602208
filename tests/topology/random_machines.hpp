#pragma once

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/topology/machines.hpp"

namespace ringcast::machines {

/// Random machines of a number of GPUs: PCIe trees of one or two sockets, some with NVLinks, some
/// of several nodes on one switch; ranks in random order.
class RandomMachines {
 public:
  explicit RandomMachines(std::uint64_t seed) : random_{seed} {}

  ClusterSpec of(int ranks) {
    const int nodes = ranks % 2 == 0 && below(3) == 0 ? 2 : 1;
    const int gpus_per_node = ranks / nodes;
    NodeTypeSpec type{"random", {}, std::nullopt, {}, std::nullopt};
    for (int placed = 0; placed < gpus_per_node;) {
      const int here = 1 + below(gpus_per_node - placed);
      type.sockets.push_back(socket_of(type.sockets.size() == 1 ? gpus_per_node - placed : here));
      placed = type.sockets.size() == 2 ? gpus_per_node : placed + here;
    }
    if (type.sockets.size() > 1) {
      type.socket_cable = some_cable();
    }
    type.sockets.front().root_complexes.front().devices.push_back(nic());
    add_nvlinks(type, gpus_per_node);
    ClusterSpec spec = nodes > 1 ? on_one_switch(type, nodes) : cluster_of(type, 1);
    spec.job_gpus.resize(static_cast<std::size_t>(ranks));
    std::iota(spec.job_gpus.begin(), spec.job_gpus.end(), 0);
    std::shuffle(spec.job_gpus.begin(), spec.job_gpus.end(), random_);
    return spec;
  }

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<std::uint64_t>(end)); }
  CableSpec some_cable() {
    CableSpec made = cable("random", 4.0 + below(12), 0.1 * (1 + below(9)));
    if (below(4) == 0) {
      made.peer_bandwidth = 0.7 * made.bandwidth;
    }
    if (below(4) == 0) {
      made.both_ways = 1.5 * made.bandwidth;
    }
    return made;
  }
  DeviceSpec nic() { return {VertexKind::nic, 1, some_cable(), {}}; }

  /// GPUs at a root complex, some of them below switches.
  SocketSpec socket_of(int count) {
    std::vector<DeviceSpec> devices;
    for (int placed = 0; placed < count;) {
      const int here = 1 + below(count - placed);
      const DeviceSpec some{VertexKind::gpu, here, some_cable(), {}};
      devices.push_back(
          below(2) == 0 ? some : DeviceSpec{VertexKind::pcie_switch, 1, some_cable(), {some}});
      placed += here;
    }
    return socket(std::move(devices));
  }

  void add_nvlinks(NodeTypeSpec& type, int gpus) {
    const int of_ten = below(2) == 0 ? 0 : 3 + below(8);
    for (int a = 0; a < gpus; ++a) {
      for (int b = a + 1; b < gpus; ++b) {
        if (below(10) < of_ten) {
          type.nvlinks.push_back({a, b, 1 + below(2), cable("nvlink-3.0", 20, 0.2)});
        }
      }
    }
  }

  std::mt19937_64 random_;
};

}  // namespace ringcast::machines
