#include "scenarios/calibrate/fabric_groups.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

namespace ringcast {
namespace {

// Measured rates scatter by a few percent; a shared uplink costs a stream far more.
constexpr double slowed_below = 0.85;
constexpr double explained_within = 0.1;

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

BytesPerSecond alone(const std::vector<BytesPerSecond>& cards, const NodeStream& stream) {
  return std::min(cards[index(stream.from)], cards[index(stream.to)]);
}
bool slowed(const std::vector<BytesPerSecond>& cards, const NodeStream& stream) {
  return stream.rate.value() < slowed_below * alone(cards, stream).value();
}

/// How often two nodes were slowed, and how often not in a ring that had slowed streams.
struct Evidence {
  int apart = 0;
  int together = 0;
};
using Pairs = std::map<std::pair<int, int>, Evidence>;

Pairs evidence_of(const std::vector<BytesPerSecond>& cards, std::span<const NodeRing> rings) {
  Pairs pairs;
  for (const NodeRing& ring : rings) {
    const bool tells =
        std::ranges::any_of(ring, [&](const NodeStream& stream) { return slowed(cards, stream); });
    for (const NodeStream& stream : ring) {
      Evidence& pair = pairs[std::minmax(stream.from, stream.to)];
      pair.apart += static_cast<int>(slowed(cards, stream));
      pair.together += static_cast<int>(tells && !slowed(cards, stream));
    }
  }
  return pairs;
}

/// Joins groups as long as nothing keeps them apart; the pair with most evidence first.
std::vector<int> group_of_nodes(std::size_t nodes, const Pairs& pairs) {
  std::vector<int> group(nodes);
  std::iota(group.begin(), group.end(), 0);
  std::vector<std::pair<int, std::pair<int, int>>> joins;
  for (const auto& [pair, evidence] : pairs) {
    if (evidence.apart == 0 && evidence.together > 0) {
      joins.emplace_back(-evidence.together, pair);
    }
  }
  std::ranges::sort(joins);
  for (const auto& [weight, join] : joins) {
    const int kept = group[index(join.first)];
    const int gone = group[index(join.second)];
    const bool apart = std::ranges::any_of(pairs, [&](const auto& entry) {
      const auto ends =
          std::minmax(group[index(entry.first.first)], group[index(entry.first.second)]);
      return entry.second.apart > 0 && ends == std::minmax(kept, gone);
    });
    if (!apart) std::ranges::replace(group, gone, kept);
  }
  return group;
}

/// The usual one of the largest values: those within a tenth of the largest.
double plateau(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto first = std::ranges::lower_bound(values, 0.9 * values.back());
  return *(first + (values.end() - first) / 2);
}

/// What the streams of one ring carry over the edge of a group, one way; none without a slowed one.
std::optional<double> crossing(const NodeRing& ring, const std::vector<BytesPerSecond>& cards,
                               const std::function<bool(int from, int to)>& crosses) {
  double sum = 0;
  bool full = false;
  for (const NodeStream& stream : ring) {
    if (crosses(stream.from, stream.to)) {
      sum += stream.rate.value();
      full = full || slowed(cards, stream);
    }
  }
  return full ? std::optional{sum} : std::nullopt;
}

/// What the streams of rings with a slowed one carry out of, and into, a group.
double uplink_of(int group, const std::vector<int>& group_of,
                 const std::vector<BytesPerSecond>& cards, std::span<const NodeRing> rings) {
  const auto is_inside = [&](int node) { return group_of[index(node)] == group; };
  const auto leaves = [&](int from, int to) { return is_inside(from) && !is_inside(to); };
  const auto enters = [&](int from, int to) { return leaves(to, from); };
  std::vector<double> sums;
  sums.reserve(2 * rings.size());
  for (const NodeRing& ring : rings) {
    for (const auto& sum : {crossing(ring, cards, leaves), crossing(ring, cards, enters)}) {
      if (sum) sums.push_back(*sum);
    }
  }
  return plateau(std::move(sums));
}

/// The part of all streams that run as groups and uplinks let them.
double explained_part(const FabricGroups& found, const std::vector<BytesPerSecond>& cards,
                      std::span<const NodeRing> rings) {
  std::vector<std::size_t> group_of(cards.size());
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
      double rate = alone(cards, stream).value();
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

FabricGroups find_groups(const std::vector<BytesPerSecond>& cards,
                         std::span<const NodeRing> rings) {
  const Pairs pairs = evidence_of(cards, rings);
  const bool shares =
      std::ranges::any_of(pairs, [](const auto& entry) { return entry.second.apart > 0; });
  const std::vector<int> group_of =
      shares ? group_of_nodes(cards.size(), pairs) : std::vector<int>(cards.size());
  std::map<int, NodeGroup> groups;
  for (std::size_t node = 0; node < cards.size(); ++node) {
    groups[group_of[node]].nodes.push_back(static_cast<int>(node));
  }
  FabricGroups found;
  for (auto& [name, group] : groups) {
    group.uplink = BytesPerSecond{uplink_of(name, group_of, cards, rings)};
    found.groups.push_back(std::move(group));
  }
  found.explained = explained_part(found, cards, rings);
  return found;
}

}  // namespace ringcast
