#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fmt/ranges.h>

#include "engine/numbers/error.hpp"
#include "topology/cluster/add_cable.hpp"
#include "topology/cluster/fabric_builder.hpp"

namespace ringcast::detail {

namespace {

/// Roles of the `radix` ports of a switch.
/// - A leaf has `down` ports for NICs and `up` for spines: down / up = oversubscription and
///   down + up = radix, so up = radix / (1 + oversubscription).
/// - With 2 levels a spine has all its ports down.
/// - With 3 levels a spine has half of its ports down, half up; a core has all its ports down.
struct Ports {
  int leaf_down;
  int leaf_up;
  int spine_down;
  int spine_up;
};

double ratio_of(int radix, int leaf_up) {
  return static_cast<double>(radix - leaf_up) / leaf_up;
}

/// The up ports of a leaf; absent unless they are a whole number from 1 to radix - 1.
std::optional<int> leaf_up_of(const FatTreeSpec& spec) {
  constexpr double rounding = 0.005;  // 1.67 stands for 40 ports down and 24 up
  const auto leaf_up = static_cast<int>(std::lround(spec.radix / (1 + spec.oversubscription)));
  const bool fits = leaf_up >= 1 && leaf_up < spec.radix &&
                    std::abs(ratio_of(spec.radix, leaf_up) - spec.oversubscription) <= rounding;
  return fits ? std::optional{leaf_up} : std::nullopt;
}

/// `3.5 or 4.143`: the nearest ratios of this radix.
std::string suitable_ratios(const FatTreeSpec& spec) {
  const double up = spec.radix / (1 + spec.oversubscription);
  std::vector<std::string> found;
  for (const double near : {std::ceil(up), std::floor(up)}) {
    const auto leaf_up = static_cast<int>(near);
    if (leaf_up < 1 || 2 * leaf_up > spec.radix) continue;
    found.push_back(fmt::format("{}", std::round(1e3 * ratio_of(spec.radix, leaf_up)) / 1e3));
  }
  return fmt::format("{}", fmt::join(found, " or "));
}

/// `60 or 65`: the nearest valid radices for the oversubscription; empty: none is near.
std::string suitable_radices(FatTreeSpec spec) {
  constexpr int most_steps = 1000;
  const int given = spec.radix;
  std::vector<int> found;
  for (const int step : {-1, 1}) {
    for (int away = 1; away <= most_steps && given + step * away >= 2; ++away) {
      spec.radix = given + step * away;
      if ((spec.levels == 3 && spec.radix % 2 != 0) || !leaf_up_of(spec)) continue;
      found.push_back(spec.radix);
      break;
    }
  }
  return fmt::format("{}", fmt::join(found, " or "));
}

Ports ports_of(const FatTreeSpec& spec) {
  expect(spec.levels == 2 || spec.levels == 3, "a fat tree of {} levels", spec.levels);
  const auto leaf_up = leaf_up_of(spec);
  if (!leaf_up) {
    const std::string radices = suitable_radices(spec);
    throw ScenarioError{fmt::format(
        "fat tree: radix {} at {}:1 gives a leaf {:.4g} ports up (expected a whole number from 1 "
        "to {}, as with oversubscription {}{})",
        spec.radix, spec.oversubscription, spec.radix / (1 + spec.oversubscription), spec.radix - 1,
        suitable_ratios(spec), radices.empty() ? "" : fmt::format(", or radix {}", radices))};
  }
  if (spec.levels == 3 && spec.radix % 2 != 0) {
    throw ScenarioError{fmt::format(
        "fat tree: radix {} (expected an even number: a spine has as many ports up as down)",
        spec.radix)};
  }
  const int spine_down = spec.levels == 2 ? spec.radix : spec.radix / 2;
  return {spec.radix - *leaf_up, *leaf_up, spine_down, spec.radix - spine_down};
}

/// `fitting`: the number of nodes that fit.
[[noreturn]] void refuse_small_tree(const FatTreeSpec& spec, std::size_t nodes,
                                    std::size_t fitting) {
  throw ScenarioError{fmt::format(
      "fat tree: {} levels of radix {} at {}:1 with {} rail{} are too small for {} nodes (expected "
      "{} at most, {}or a greater radix)",
      spec.levels, spec.radix, spec.oversubscription, spec.rails, spec.rails == 1 ? "" : "s", nodes,
      fitting, spec.levels == 2 ? "3 levels, " : "")};
}

/// Assigns NICs to leaves. Each rail fills its own leaves; leaves of the same nodes are
/// consecutive, so that they are in one pod.
std::vector<std::vector<int>> fill_leaves(const FatTreeSpec& spec, int leaf_down,
                                          const NicsOfNodes& nics, std::int64_t most_leaves) {
  std::vector<std::vector<int>> leaves;
  std::vector<int> open(static_cast<std::size_t>(spec.rails), -1);  // each rail's unfilled leaf
  for (std::size_t node = 0; node < nics.size(); ++node) {
    for (std::size_t nic = 0; nic < nics[node].size(); ++nic) {
      int& leaf = open[nic % open.size()];
      if (leaf < 0 ||
          static_cast<int>(leaves[static_cast<std::size_t>(leaf)].size()) == leaf_down) {
        leaf = static_cast<int>(leaves.size());
        leaves.emplace_back();
      }
      if (leaf >= most_leaves) {
        refuse_small_tree(spec, nics.size(), node);
      }
      leaves[static_cast<std::size_t>(leaf)].push_back(nics[node][nic]);
    }
  }
  return leaves;
}

/// The number of leaves with NICs of built nodes, which are the first, as nodes fill them in
/// order.
std::size_t count_used(const std::vector<std::vector<int>>& leaves, const Cluster& cluster) {
  const int built = static_cast<int>(cluster.vertices.size());
  return static_cast<std::size_t>(std::ranges::count_if(
      leaves, [built](const std::vector<int>& nics) { return nics.front() < built; }));
}

/// The fewest upper switches among which `lowers` switches can spread their `up` cables evenly:
/// u divides up, and each upper switch takes lowers * (up / u) cables with its `down` ports.
/// u = up always works, because the callers ensure lowers <= down.
int upper_switches(int lowers, int up, int down) {
  for (int upper = 1; upper < up; ++upper) {
    if (up % upper == 0 && lowers * (up / upper) <= down) {
      return upper;
    }
  }
  return up;
}

/// How the switches of a level are connected to vertices above. Adaptive routing loads all equal
/// switches alike, so one vertex represents them, and one cable the sum of those to them.
struct Uplinks {
  int uppers;
  int cables;  // of each lower vertex
  CableSpec cable;
};

Uplinks uplinks_of(const FatTreeSpec& spec, int lowers, std::int64_t up, int down) {
  const CableSpec cable = spec.uplink.value_or(spec.cable);
  if (spec.adaptive_routing) return {1, 1, bundle_of(up, cable)};
  const int cables = static_cast<int>(up);
  return {upper_switches(lowers, cables, down), cables, cable};
}

/// Spreads the cables of a switch evenly over the upper switches; parallel cables are adjacent.
void join(int lower, std::span<const int> uppers, const Uplinks& uplinks, Cluster& cluster) {
  for (const int upper : uppers) {
    for (int i = 0; i < uplinks.cables / uplinks.uppers; ++i) {
      add_cable(lower, upper, uplinks.cable, cluster.cables);
    }
  }
}

std::vector<int> add_leaves(const std::vector<std::vector<int>>& members, const CableSpec& cable,
                            Cluster& cluster) {
  std::vector<int> leaves = add_switches("leaf", 0, static_cast<int>(members.size()), cluster);
  for (std::size_t leaf = 0; leaf < members.size(); ++leaf) {
    for (const int nic : members[leaf]) {
      add_cable(nic, leaves[leaf], cable, cluster.cables);
    }
  }
  return leaves;
}

/// Spine j of each pod shares a group of cores with spine j of the other pods. `spines`: those of
/// all built pods.
void add_cores(std::span<const int> spines, int groups, const Uplinks& uplinks, Cluster& cluster) {
  const int pods = static_cast<int>(spines.size()) / groups;
  for (int group = 0; group < groups; ++group) {
    const std::vector<int> cores =
        add_switches("core", group * uplinks.uppers, uplinks.uppers, cluster);
    for (int pod = 0; pod < pods; ++pod) {
      const auto spine = static_cast<std::size_t>(pod) * static_cast<std::size_t>(groups) +
                         static_cast<std::size_t>(group);
      join(spines[spine], cores, uplinks, cluster);
    }
  }
}

}  // namespace

/// NICs fill leaves, leaves fill pods of at most spine_down leaves, and every pod has the same
/// number of spines. A core reaches every pod, so there are at most radix pods. A tree of 2 levels
/// is one pod. A level with a single switch below it is omitted. If only the first nodes are built,
/// so are only their leaves and pods, and the cores if there are several pods.
void add_fat_tree(const FatTreeSpec& spec, const NicsOfNodes& nics, Cluster& cluster) {
  check_rails(spec.rails, nics);
  const Ports ports = ports_of(spec);
  const std::int64_t most_pods = spec.levels == 2 ? 1 : spec.radix;
  std::vector<std::vector<int>> members =
      fill_leaves(spec, ports.leaf_down, nics, most_pods * ports.spine_down);
  const int leaf_count = static_cast<int>(members.size());
  members.resize(count_used(members, cluster));
  const std::vector<int> leaves = add_leaves(members, spec.cable, cluster);
  if (leaf_count <= 1) {
    return;
  }

  const auto pods_of = [&](int count) { return (count + ports.spine_down - 1) / ports.spine_down; };
  const int pods = pods_of(static_cast<int>(leaves.size()));
  const Uplinks of_leaf =
      uplinks_of(spec, std::min(leaf_count, ports.spine_down), ports.leaf_up, ports.spine_down);
  const std::vector<int> spines = add_switches("spine", 0, pods * of_leaf.uppers, cluster);
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    const std::size_t pod = leaf / static_cast<std::size_t>(ports.spine_down);
    const auto in_pod = static_cast<std::size_t>(of_leaf.uppers);
    join(leaves[leaf], std::span{spines}.subspan(pod * in_pod, in_pod), of_leaf, cluster);
  }
  if (pods > 1) {
    // The first pod is full, so each of its leaves has a cable to each of leaf_up spines.
    const std::int64_t of_pod = std::int64_t{ports.leaf_up} * ports.spine_up;
    const Uplinks of_spine =
        uplinks_of(spec, pods_of(leaf_count), of_pod / of_leaf.uppers, spec.radix);
    add_cores(spines, of_leaf.uppers, of_spine, cluster);
  }
}

std::size_t nodes_of_full_leaves(const FatTreeSpec& spec, const NicsOfNodes& nics,
                                 std::size_t least) {
  check_rails(spec.rails, nics);
  const int leaf_down = ports_of(spec).leaf_down;
  std::vector<int> on_leaf(static_cast<std::size_t>(spec.rails), 0);  // each rail's last leaf
  for (std::size_t node = 0; node < nics.size(); ++node) {
    for (std::size_t nic = 0; nic < nics[node].size(); ++nic) {
      int& count = on_leaf[nic % on_leaf.size()];
      count = count % leaf_down + 1;
    }
    const bool full = std::ranges::all_of(on_leaf, [&](int count) { return count == leaf_down; });
    if (full && node + 1 >= least) return node + 1;
  }
  return nics.size();
}

}  // namespace ringcast::detail
