#include <algorithm>
#include <map>
#include <set>

#include "topology/nccl_tuner.hpp"

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
    if (!cable.base_class.starts_with(family)) continue;
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

/// The hops of all rings, and how much of the buffer's traffic each link of them carries.
class RingTraffic {
 public:
  RingTraffic(const TransferPaths& paths, std::span<const RingOrder> rings) : paths_{&paths} {
    for (const RingOrder& ring : rings) {
      for (const Rank rank : ring.ranks()) {
        if (ring.size() > 1)
          add(paths.between(rank, ring.next(rank)), 1.0 / static_cast<double>(rings.size()));
      }
    }
  }

  /// The rate at which all rings together can run over hops of this sort; zero: there are none.
  [[nodiscard]] BytesPerSecond rate(bool across) const {
    const auto& loads = across ? across_ : within_;
    double rate = 0;
    for (const auto& [link, share] : loads) {
      const double each = paths_->topology().links()[index_of(link)].bandwidth.value() / share;
      rate = rate == 0 ? each : std::min(rate, each);
    }
    return BytesPerSecond{rate};
  }
  [[nodiscard]] bool nvlink() const { return nvlink_; }
  [[nodiscard]] PathLevel farthest_card() const { return farthest_card_; }

 private:
  void add(const TransferPath& path, double share) {
    const bool across = path.kind == PathKind::network;
    for (const auto* leg : {path.copy_down ? &*path.copy_down : nullptr, &path.main,
                            path.copy_up ? &*path.copy_up : nullptr}) {
      if (leg == nullptr) continue;
      for (const LinkId link : leg->links) {
        (across ? across_ : within_)[link] += share;
      }
    }
    if (across) {
      farthest_card_ = std::max(farthest_card_, path.level);
    } else {
      nvlink_ = nvlink_ && path.kind == PathKind::nvlink;
    }
  }

  const TransferPaths* paths_;
  std::map<LinkId, double> within_;
  std::map<LinkId, double> across_;
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
  machine.between = traffic.rate(true);
  machine.in_node = alone ? machine.between : traffic.rate(false);
  // Two channels on each ring; NVSwitches take twice the links of a GPU, 24 at most.
  const int on_switch = machine.nvlink && has_nvswitch(paths) && machine.nodes == 1 ? 24 : 2;
  machine.channels = std::max(on_switch, 2 * static_cast<int>(rings.size()));
  return machine;
}

}  // namespace ringcast
