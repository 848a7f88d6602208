#include "app/config/cluster/degradation.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "app/config/yaml/input_node.hpp"
#include "app/config/yaml/nearest_name.hpp"
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

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == text.npos ? std::string_view{}
                            : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
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

/// The two names of `a - b` or `a -> b`.
std::optional<std::pair<std::string_view, std::string_view>> ends_of(std::string_view name) {
  for (const std::string_view between : {" -> ", " - "}) {
    const std::size_t at = name.find(between);
    if (at != name.npos) {
      return std::pair{trimmed(name.substr(0, at)), trimmed(name.substr(at + between.size()))};
    }
  }
  return std::nullopt;
}

template <typename Wanted>
std::vector<std::size_t> cables_with(const Cluster& cluster, const Wanted& wanted) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < cluster.cables.size(); ++i)
    if (wanted(cluster.cables[i])) found.push_back(i);
  return found;
}

/// The names of other cables for a message, no more than fit a line.
std::string choices(const Cluster& cluster, std::span<const std::size_t> cables) {
  constexpr std::size_t most = 4;
  std::vector<std::string> names;
  for (const std::size_t cable : cables.first(std::min(most, cables.size())))
    names.push_back(name_of(cluster, cluster.cables[cable]));
  if (cables.size() > most) names.emplace_back("another");
  const std::vector<std::string_view> views{names.begin(), names.end()};
  return listed(views, "or");
}

std::size_t cable_between(const Cluster& cluster, int a, int b, const InputNode& option) {
  const auto joined = cables_with(cluster, [a, b](const Cable& cable) {
    return (cable.a == a && cable.b == b) || (cable.a == b && cable.b == a);
  });
  if (!joined.empty()) return joined.front();
  const auto of_first =
      cables_with(cluster, [a](const Cable& cable) { return cable.a == a || cable.b == a; });
  option.fail(fmt::format("no cable between {} and {}", cluster.vertices[index(a)].name,
                          cluster.vertices[index(b)].name),
              choices(cluster, of_first));
}

std::size_t cable_of_device(const Cluster& cluster, int device, const InputNode& option) {
  const bool is_card = cluster.vertices[index(device)].kind == VertexKind::nic;
  const auto is_wanted = [&](const Cable& cable) {
    if (cable.a != device && cable.b != device) return false;
    const int far = cable.a == device ? cable.b : cable.a;
    return !is_card || cluster.vertices[index(far)].kind == VertexKind::network_switch;
  };
  const std::vector<std::size_t> cables = cables_with(cluster, is_wanted);
  if (cables.size() != 1) {
    option.fail(fmt::format("{} has {} cables{}", cluster.vertices[index(device)].name,
                            cables.size(), is_card ? " to the network" : ""),
                cables.empty() ? "another device" : choices(cluster, cables));
  }
  return cables.front();
}

/// Nodes of one type have equal cables; this one has no longer.
void set_apart(Cluster& cluster, const Cable& cable) {
  const int node = cluster.vertices[index(cable.a)].node;
  const bool inside = node >= 0 && cluster.vertices[index(cable.b)].node == node;
  if (inside && index(node) < cluster.node_types.size()) {
    cluster.node_types[index(node)] += fmt::format(", node {} degraded", node);
  }
}

void limit(Cable& cable, BytesPerSecond rate) {
  cable.bandwidth = rate;
  for (BytesPerSecond* const part : {&cable.peer_bandwidth, &cable.kernel_bandwidth})
    *part = std::min(*part, rate);  // zero stays: no limit
  cable.both_ways = std::min(cable.both_ways, BytesPerSecond{2 * rate.value()});
  cable.source = "degraded";
}

/// `names`: those of the changes before, to which this one's is added.
std::string degrade_one(Cluster& cluster, std::string_view change,
                        std::vector<std::string_view>& names) {
  const InputNode option = InputNode::from_option("--degrade", change);
  const std::size_t equals = change.rfind('=');
  if (equals == change.npos) option.fail(in_quotes(change), expected_change);
  const std::string_view name = trimmed(change.substr(0, equals));
  const std::string_view text = trimmed(change.substr(equals + 1));
  if (std::ranges::find(names, name) != names.end()) {
    option.fail(fmt::format("{} is named twice", name), "each cable once");
  }
  names.push_back(name);

  const auto ends = ends_of(name);
  const std::size_t number =
      ends ? cable_between(cluster, vertex_named(cluster, ends->first, option),
                           vertex_named(cluster, ends->second, option), option)
           : cable_of_device(cluster, vertex_named(cluster, name, option), option);
  Cable& cable = cluster.cables[number];
  const std::string full_name = name_of(cluster, cable);
  set_apart(cluster, cable);
  if (text == "missing" || text == "0") {
    cluster.cables.erase(cluster.cables.begin() + static_cast<std::ptrdiff_t>(number));
    return fmt::format("{}: missing", full_name);
  }
  const BytesPerSecond rate = InputNode::from_option("--degrade", text).rate();
  if (rate >= cable.bandwidth) {
    option.fail(fmt::format("{} is no less than the {} of {}", to_text(rate),
                            to_text(cable.bandwidth), full_name),
                "less, or missing");
  }
  std::string description =
      fmt::format("{}: {} instead of {}", full_name, to_text(rate), to_text(cable.bandwidth));
  limit(cable, rate);
  return description;
}

}  // namespace

std::vector<std::string> degrade(Cluster& cluster, std::string_view changes) {
  std::vector<std::string> descriptions;
  std::vector<std::string_view> names;
  for (std::size_t comma = 0; comma != changes.npos;) {
    comma = changes.find(',');
    descriptions.push_back(degrade_one(cluster, changes.substr(0, comma), names));
    changes.remove_prefix(comma == changes.npos ? 0 : comma + 1);
  }
  return descriptions;
}

Topology degraded_topology(Cluster cluster) {
  try {
    return Topology{std::move(cluster)};
  } catch (const ScenarioError& error) {
    throw ScenarioError{fmt::format("--degrade: {}", error.what())};
  }
}

}  // namespace ringcast
