#include "app/calibrate/fabric_groups.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "app/calibrate/reduction_fit.hpp"
#include "app/common/median.hpp"
#include "topology/cluster/index.hpp"

namespace ringcast {
namespace {

using detail::index;

// Measured rates scatter by a few percent; a shared uplink costs a stream far more.
constexpr double slowed_below = 0.85;
constexpr double explained_within = 0.1;

BytesPerSecond alone(const std::vector<BytesPerSecond>& nics, const NodeStream& stream) {
  return std::min(nics[index(stream.from)], nics[index(stream.to)]);
}
bool slowed(const std::vector<BytesPerSecond>& nics, const NodeStream& stream) {
  return stream.rate.value() < slowed_below * alone(nics, stream).value();
}

/// How often a stream between two nodes ran undisturbed in a ring that had slowed streams, and how
/// often it was slowed.
struct Evidence {
  int together = 0;
  int apart = 0;
  /// Noise slows a stream of one group now and then; an uplink slows most between two.
  [[nodiscard]] int balance() const { return together - 2 * apart; }
};
using Table = std::vector<std::vector<Evidence>>;

Table evidence_of(const std::vector<BytesPerSecond>& nics, std::span<const NodeRing> rings) {
  Table table(nics.size(), std::vector<Evidence>(nics.size()));
  for (const NodeRing& ring : rings) {
    const bool tells =
        std::ranges::any_of(ring, [&](const NodeStream& stream) { return slowed(nics, stream); });
    for (const NodeStream& stream : ring) {
      const bool slow = slowed(nics, stream);
      for (Evidence* const pair : {&table[index(stream.from)][index(stream.to)],
                                   &table[index(stream.to)][index(stream.from)]}) {
        pair->apart += static_cast<int>(slow);
        pair->together += static_cast<int>(tells && !slow);
      }
    }
  }
  return table;
}

/// The two groups with the greatest balance(); none if no balance is positive.
std::optional<std::pair<std::size_t, std::size_t>> surest_join(const Table& between) {
  std::optional<std::pair<std::size_t, std::size_t>> surest;
  int best = 0;
  for (std::size_t a = 0; a < between.size(); ++a) {
    for (std::size_t b = a + 1; b < between.size(); ++b) {
      if (between[a][b].balance() <= best) continue;
      best = between[a][b].balance();
      surest = {a, b};
    }
  }
  return surest;
}

/// Agglomerative clustering: merges the two groups of surest_join() as long as there are any.
std::vector<int> group_of_nodes(Table between) {
  std::vector<int> group(between.size());
  std::iota(group.begin(), group.end(), 0);
  while (const auto join = surest_join(between)) {
    const auto [kept, gone] = *join;
    std::ranges::replace(group, static_cast<int>(gone), static_cast<int>(kept));
    for (std::size_t other = 0; other < between.size(); ++other) {
      const Evidence moved = std::exchange(between[gone][other], {});
      between[other][gone] = {};
      if (other == kept || other == gone) continue;
      between[kept][other].together += moved.together;
      between[kept][other].apart += moved.apart;
      between[other][kept] = between[kept][other];
    }
    between[kept][gone] = {};
  }
  return group;
}

/// The median of the values within a tenth of the largest.
double plateau(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto first = std::ranges::lower_bound(values, 0.9 * values.back());
  return *(first + (values.end() - first) / 2);
}

/// The load of one ring's streams on a group's uplink, one way; none without a slowed stream.
std::optional<double> crossing(const NodeRing& ring, const std::vector<BytesPerSecond>& nics,
                               const std::function<bool(int from, int to)>& crosses) {
  double sum = 0;
  bool full = false;
  for (const NodeStream& stream : ring) {
    if (crosses(stream.from, stream.to)) {
      sum += stream.rate.value();
      full = full || slowed(nics, stream);
    }
  }
  return full ? std::optional{sum} : std::nullopt;
}

/// The loads on a group's uplink, out and in, in rings with a slowed stream.
double uplink_of(int group, const std::vector<int>& group_of,
                 const std::vector<BytesPerSecond>& nics, std::span<const NodeRing> rings) {
  const auto is_inside = [&](int node) { return group_of[index(node)] == group; };
  const auto leaves = [&](int from, int to) { return is_inside(from) && !is_inside(to); };
  const auto enters = [&](int from, int to) { return leaves(to, from); };
  std::vector<double> sums;
  sums.reserve(2 * rings.size());
  for (const NodeRing& ring : rings) {
    for (const auto& sum : {crossing(ring, nics, leaves), crossing(ring, nics, enters)}) {
      if (sum) sums.push_back(*sum);
    }
  }
  return plateau(std::move(sums));
}

/// The part of all streams that run as groups and uplinks let them.
double explained_part(const FabricGroups& found, const std::vector<BytesPerSecond>& nics,
                      std::span<const NodeRing> rings) {
  std::vector<std::size_t> group_of(nics.size());
  for (std::size_t group = 0; group < found.groups.size(); ++group) {
    for (const int node : found.groups[group].nodes) {
      group_of[index(node)] = group;
    }
  }
  double explained = 0;
  double all = 0;
  for (const NodeRing& ring : rings) {
    std::vector<double> out(found.groups.size());
    std::vector<double> in(found.groups.size());
    const auto crosses = [&](const NodeStream& stream) {
      return group_of[index(stream.from)] != group_of[index(stream.to)];
    };
    for (const NodeStream& stream : ring) {
      if (!crosses(stream)) continue;
      ++out[group_of[index(stream.from)]];
      ++in[group_of[index(stream.to)]];
    }
    for (const NodeStream& stream : ring) {
      double rate = alone(nics, stream).value();
      if (crosses(stream)) {
        const std::size_t from = group_of[index(stream.from)];
        const std::size_t to = group_of[index(stream.to)];
        rate = std::min({rate, found.groups[from].uplink.value() / out[from],
                         found.groups[to].uplink.value() / in[to]});
      }
      ++all;
      explained += static_cast<double>(std::abs(stream.rate.value() / rate - 1) < explained_within);
    }
  }
  return all > 0 ? explained / all : 1;
}

}  // namespace

double both_ways_part(const std::vector<BytesPerSecond>& nics, std::span<const NodeRing> rings) {
  const auto part = [&](const NodeStream& stream) {
    return stream.rate.value() / alone(nics, stream).value();
  };
  std::vector<double> best(nics.size());
  for (const NodeRing& ring : rings) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      double& both = best[index(ring[i].to)];
      both = std::max(both, part(ring[i]) + part(ring[(i + 1) % ring.size()]));
    }
  }
  return median(std::move(best));
}

FabricGroups find_groups(const std::vector<BytesPerSecond>& nics, std::span<const NodeRing> rings) {
  Table evidence = evidence_of(nics, rings);
  const bool shares = std::ranges::any_of(evidence, [](const std::vector<Evidence>& row) {
    return std::ranges::any_of(row, [](const Evidence& pair) { return pair.balance() < 0; });
  });
  const std::vector<int> group_of =
      shares ? group_of_nodes(std::move(evidence)) : std::vector<int>(nics.size());
  std::map<int, NodeGroup> groups;
  for (std::size_t node = 0; node < nics.size(); ++node) {
    groups[group_of[node]].nodes.push_back(static_cast<int>(node));
  }
  FabricGroups found;
  for (auto& [name, group] : groups) {
    group.uplink = BytesPerSecond{uplink_of(name, group_of, nics, rings)};
    found.groups.push_back(std::move(group));
  }
  found.explained = explained_part(found, nics, rings);
  return found;
}

}  // namespace ringcast
