#include "app/config/cluster/degradation.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "app/common/mapped.hpp"
#include "app/config/yaml/input_node.hpp"
#include "app/config/yaml/nearest_name.hpp"
#include "engine/numbers/ascii.hpp"
#include "engine/numbers/error.hpp"
#include "topology/cluster/index.hpp"

namespace ringcast {
namespace {

using detail::index;

constexpr std::string_view expected_change = "CABLE=RATE or CABLE=missing, e.g. node0.nic0=3GB/s";

std::string name_of(const Cluster& cluster, const Cable& cable) {
  return fmt::format("{} - {}", cluster.vertices[index(cable.a)].name,
                     cluster.vertices[index(cable.b)].name);
}

int vertex_named(const Cluster& cluster, std::string_view name, const InputNode& option) {
  const auto found = std::ranges::find(cluster.vertices, name, &Vertex::name);
  if (found != cluster.vertices.end()) {
    return static_cast<int>(found - cluster.vertices.begin());
  }
  const std::vector<std::string_view> names = names_of(cluster.vertices, &Vertex::name);
  option.fail(fmt::format("no {} in {}{}", in_quotes(name), cluster.name, suggestion(name, names)),
              "a name that ringcast show prints");
}

template <typename Wanted>
std::vector<std::size_t> cables_with(const Cluster& cluster, const Wanted& wanted) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < cluster.cables.size(); ++i)
    if (wanted(cluster.cables[i])) found.push_back(i);
  return found;
}

/// The names of at most four cables, for a message.
std::string choices(const Cluster& cluster, std::span<const std::size_t> cables) {
  constexpr std::size_t most = 4;
  std::vector<std::string> names;
  for (const std::size_t cable : cables) {
    std::string name = name_of(cluster, cluster.cables[cable]);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  if (names.size() > most) {
    names.resize(most);
    names.emplace_back("another");
  }
  const std::vector<std::string_view> views{names.begin(), names.end()};
  return listed(views, "or");
}

std::vector<std::size_t> joining(const Cluster& cluster, int a, int b) {
  return cables_with(cluster, [a, b](const Cable& cable) {
    return (cable.a == a && cable.b == b) || (cable.a == b && cable.b == a);
  });
}

std::vector<std::size_t> cables_between(const Cluster& cluster, int a, int b,
                                        const InputNode& option) {
  std::vector<std::size_t> joined = joining(cluster, a, b);
  if (!joined.empty()) return joined;
  const auto of_first =
      cables_with(cluster, [a](const Cable& cable) { return cable.a == a || cable.b == a; });
  option.fail(fmt::format("no cable between {} and {}", cluster.vertices[index(a)].name,
                          cluster.vertices[index(b)].name),
              choices(cluster, of_first));
}

std::size_t cable_of_device(const Cluster& cluster, int device, const InputNode& option) {
  const bool is_nic = cluster.vertices[index(device)].kind == VertexKind::nic;
  const auto is_wanted = [&](const Cable& cable) {
    if (cable.a != device && cable.b != device) return false;
    const int far = cable.a == device ? cable.b : cable.a;
    return !is_nic || cluster.vertices[index(far)].node != cluster.vertices[index(device)].node;
  };
  const std::vector<std::size_t> cables = cables_with(cluster, is_wanted);
  if (cables.size() != 1) {
    option.fail(fmt::format("{} has {} cables{}", cluster.vertices[index(device)].name,
                            cables.size(), is_nic ? " to the network" : ""),
                cables.empty() ? "another device" : choices(cluster, cables));
  }
  return cables.front();
}

/// Gives the node of a changed cable a type of its own: nodes of one type have equal cables.
void mark_degraded(Cluster& cluster, const Cable& cable) {
  const int node = cluster.vertices[index(cable.a)].node;
  const bool inside = node >= 0 && cluster.vertices[index(cable.b)].node == node;
  if (inside && index(node) < cluster.node_types.size()) {
    cluster.node_types[index(node)] += fmt::format(", node {} degraded", node);
  }
}

void limit(Cable& cable, BytesPerSecond rate) {
  cable.bandwidth = rate;
  for (BytesPerSecond* const part : {&cable.peer_bandwidth, &cable.kernel_bandwidth})
    *part = std::min(*part, rate);  // zero remains: no limit
  cable.both_ways = std::min(cable.both_ways, BytesPerSecond{2 * rate.value()});
  cable.source = "degraded";
}

struct Change {
  std::size_t cable;
  std::optional<BytesPerSecond> rate;  // absent: the cable is removed
};

/// The first cable of this name that has no earlier change.
std::size_t cable_named(const Cluster& cluster, std::string_view name,
                        std::span<const Change> before, const InputNode& option) {
  const auto ends = cable_ends(name);
  const std::vector<std::size_t> cables =
      ends ? cables_between(cluster, vertex_named(cluster, ends->first, option),
                            vertex_named(cluster, ends->second, option), option)
           : std::vector{cable_of_device(cluster, vertex_named(cluster, name, option), option)};
  const auto left = std::ranges::find_if(cables, [&](std::size_t cable) {
    return std::ranges::find(before, cable, &Change::cable) == before.end();
  });
  if (left == cables.end()) {
    option.fail(fmt::format("{} is named twice", name_of(cluster, cluster.cables[cables.front()])),
                "each cable once");
  }
  return *left;
}

Change read_change(const Cluster& cluster, std::string_view text, std::span<const Change> before) {
  const InputNode option = InputNode::from_option("--degrade", text);
  const std::size_t equals = text.rfind('=');
  if (equals == text.npos) option.fail(in_quotes(text), expected_change);
  const std::size_t number = cable_named(cluster, trimmed(text.substr(0, equals)), before, option);
  const std::string_view value = trimmed(text.substr(equals + 1));
  if (value == "missing" || value == "0") return {number, std::nullopt};
  const BytesPerSecond rate = InputNode::from_option("--degrade", value).rate();
  const Cable& cable = cluster.cables[number];
  if (rate >= cable.bandwidth) {
    option.fail(fmt::format("{} is no less than the {} of {}", to_text(rate),
                            to_text(cable.bandwidth), name_of(cluster, cable)),
                "less, or missing");
  }
  return {number, rate};
}

/// The nodes of the ranks of the largest job.
std::set<int> nodes_of(const Cluster& cluster, std::span<const int> jobs) {
  std::vector<int> ranks = rank_vertices(cluster);
  if (!jobs.empty()) ranks.resize(std::min(ranks.size(), index(std::ranges::max(jobs))));
  std::set<int> nodes;
  for (const int vertex : ranks)
    nodes.insert(cluster.vertex(vertex).node);
  return nodes;
}

/// Changes the cable, and returns the description. Missing cables remain here, to keep the indices
/// of the other changes valid.
std::string apply(const Change& change, Cluster& cluster) {
  Cable& cable = cluster.cables[change.cable];
  const std::size_t parallel = joining(cluster, cable.a, cable.b).size();
  const std::string name =
      parallel == 1 ? name_of(cluster, cable)
                    : fmt::format("one of {} cables {}", parallel, name_of(cluster, cable));
  mark_degraded(cluster, cable);
  if (!change.rate) {
    const bool is_bundle = cable.link_class.find(" x ") != std::string::npos;
    return fmt::format("{}: missing{}", name,
                       is_bundle ? ", all of " + cable.link_class : std::string{});
  }
  std::string description =
      fmt::format("{}: {} instead of {}", name, to_text(*change.rate), to_text(cable.bandwidth));
  limit(cable, *change.rate);
  return description;
}

}  // namespace

std::vector<std::string> degrade(Cluster& cluster, std::string_view text,
                                 std::span<const int> jobs) {
  std::vector<Change> changes;
  for (std::size_t comma = 0; comma != text.npos;) {
    comma = text.find(',');
    changes.push_back(read_change(cluster, text.substr(0, comma), changes));
    text.remove_prefix(comma == text.npos ? 0 : comma + 1);
  }
  std::vector<std::string> descriptions =
      mapped(changes, [&](const Change& change) { return apply(change, cluster); });
  std::ranges::sort(changes, std::ranges::greater{}, &Change::cable);
  if (!jobs.empty()) cluster.connected_ranks = std::ranges::max(jobs);
  const std::set<int> nodes = nodes_of(cluster, jobs);
  const auto is_used = [&](const Cable& cable) {
    return std::ranges::all_of(std::array{cable.a, cable.b}, [&](int end) {
      const int node = cluster.vertices[index(end)].node;
      return node < 0 || nodes.contains(node);
    });
  };
  for (const Change& change : changes) {
    if (change.rate || !is_used(cluster.cables[change.cable])) continue;
    cluster.cables.erase(cluster.cables.begin() + static_cast<std::ptrdiff_t>(change.cable));
  }
  return descriptions;
}

std::optional<std::pair<std::string_view, std::string_view>> cable_ends(std::string_view name) {
  for (const std::string_view between : {" -> ", " - "}) {
    const std::size_t at = name.find(between);
    if (at != name.npos) {
      return std::pair{trimmed(name.substr(0, at)), trimmed(name.substr(at + between.size()))};
    }
  }
  return std::nullopt;
}

Topology degraded_topology(Cluster cluster) {
  try {
    return Topology{std::move(cluster)};
  } catch (const ScenarioError& error) {
    throw ScenarioError{fmt::format("--degrade: {}", error.what())};
  }
}

}  // namespace ringcast
