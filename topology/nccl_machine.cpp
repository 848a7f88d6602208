#include <algorithm>
#include <set>

#include "topology/nccl_tuner.hpp"
#include "topology/ring_load.hpp"

namespace ringcast {
namespace {

const Vertex& vertex_at(const TransferPaths& paths, int place) {
  return paths.topology().cluster().vertices[static_cast<std::size_t>(place)];
}

/// The generation, by the class of the NVLinks. PCIe boxes are taken as Ampere: of the constants
/// that depend on it none applies there but LL's limit, which PCIe does not reach.
GpuGeneration generation_of(const TransferPaths& paths) {
  constexpr std::string_view family = "nvlink-";
  for (const Cable& cable : paths.topology().cluster().cables) {
    if (!cable.base_class.starts_with(family) || cable.base_class == "nvlink-c2c") continue;
    switch (cable.base_class[family.size()]) {
      case '1':
      case '2':
        return GpuGeneration::volta;
      case '4':
        return GpuGeneration::hopper;
      case '5':
        return GpuGeneration::blackwell;
      default:
        return GpuGeneration::ampere;
    }
  }
  return GpuGeneration::ampere;
}

bool has_nvswitch(const TransferPaths& paths) {
  return std::ranges::any_of(paths.topology().cluster().vertices, [](const Vertex& vertex) {
    return vertex.kind == VertexKind::nvswitch;
  });
}

/// Sockets joined by xGMI are AMD's, one socket alone is taken as Intel's.
bool has_amd_sockets(const TransferPaths& paths) {
  const Cluster& cluster = paths.topology().cluster();
  return std::ranges::any_of(cluster.cables, [&](const Cable& cable) {
    return cable.base_class.starts_with("xgmi") &&
           vertex_at(paths, cable.a).kind == VertexKind::cpu &&
           vertex_at(paths, cable.b).kind == VertexKind::cpu;
  });
}

/// NCCL takes a card at its line rate, whatever staging or a socket costs.
TransportProfile with_plain_networks(TransportProfile profile) {
  profile.kernel_copies = false;
  profile.socket_copy_rate = BytesPerSecond{0};
  return profile;
}

/// The hops of all rings, in nodes and between them.
class RingTraffic {
 public:
  RingTraffic(const TransferPaths& paths, std::span<const RingOrder> rings)
      : rings_{static_cast<double>(rings.size())},
        plain_{paths.topology(), with_plain_networks(paths.profile()), paths.places()},
        within_{paths},
        across_{plain_} {
    for (const RingOrder& ring : rings) {
      for (const Rank rank : ring.ranks()) {
        if (ring.size() > 1) add(paths.between(rank, ring.next(rank)), rank, ring.next(rank));
      }
    }
  }

  /// The rate at which all rings together can run over hops of this sort; zero: there are none.
  [[nodiscard]] BytesPerSecond within() const { return rate(within_); }
  [[nodiscard]] BytesPerSecond across() const { return rate(across_); }
  [[nodiscard]] bool nvlink() const { return nvlink_; }
  [[nodiscard]] PathLevel farthest_card() const { return farthest_card_; }

 private:
  void add(const TransferPath& path, Rank from, Rank to) {
    if (path.kind == PathKind::network) {
      across_.add(from, to);
      farthest_card_ = std::max(farthest_card_, path.level);
    } else {
      within_.add(from, to);
      nvlink_ = nvlink_ && path.kind == PathKind::nvlink;
    }
  }
  [[nodiscard]] BytesPerSecond rate(const detail::LinkLoads& loads) const {
    return BytesPerSecond{loads.busiest() ? rings_ / loads.slowest() : 0};
  }

  double rings_;
  TransferPaths plain_;
  detail::LinkLoads within_;
  detail::LinkLoads across_;
  bool nvlink_ = true;
  PathLevel farthest_card_ = PathLevel::nvl;
};

}  // namespace

NcclMachine nccl_machine(const TransferPaths& paths, std::span<const RingOrder> rings) {
  NcclMachine machine;
  std::set<int> nodes;
  machine.ranks = rings.front().size();
  for (const Rank rank : rings.front().ranks()) {
    nodes.insert(vertex_at(paths, paths.places()[static_cast<std::size_t>(index_of(rank))]).node);
  }
  machine.nodes = static_cast<int>(nodes.size());
  const RingTraffic traffic{paths, rings};
  const bool alone = machine.ranks == machine.nodes;
  machine.generation = generation_of(paths);
  machine.nvlink = traffic.nvlink() && !alone;
  machine.switch_sums =
      has_nvswitch(paths) && machine.nvlink && machine.generation >= GpuGeneration::hopper;
  machine.near_cards = traffic.farthest_card() <= PathLevel::pxb;
  machine.between = traffic.across();
  machine.amd = has_amd_sockets(paths);
  machine.in_node = alone ? machine.between : traffic.within();
  // Two channels on each ring; NVSwitches take twice the links of a GPU, 24 at most.
  const int on_switch = machine.nvlink && has_nvswitch(paths) && machine.nodes == 1 ? 24 : 2;
  machine.channels = std::max(on_switch, 2 * static_cast<int>(rings.size()));
  return machine;
}

}  // namespace ringcast
