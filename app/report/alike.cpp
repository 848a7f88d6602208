#include "app/report/alike.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringcast::detail {

namespace {

/// The position of the number that counts up by one from a name to the next, if nothing else
/// differs.
std::optional<std::size_t> counting_number(const std::string& name, const std::string& next) {
  constexpr std::string_view digits = "0123456789";
  for (std::size_t begin = name.find_first_of(digits); begin != std::string::npos;) {
    const std::size_t end = std::min(name.find_first_not_of(digits, begin), name.size());
    const std::string number = name.substr(begin, end - begin);
    if (number.size() < 10 &&
        next == fmt::format("{}{:0{}}{}", name.substr(0, begin), std::stoll(number) + 1,
                            number.size(), name.substr(end))) {
      return begin;
    }
    begin = name.find_first_of(digits, end);
  }
  return std::nullopt;
}

std::vector<std::string> runs_of(std::span<const std::string> names) {
  std::vector<std::string> runs;
  for (std::size_t first = 0; first < names.size();) {
    std::size_t last = first;
    std::optional<std::size_t> counting;
    while (last + 1 < names.size()) {
      const auto number = counting_number(names[last], names[last + 1]);
      if (!number || (counting && counting != number)) break;
      counting = number;
      ++last;
    }
    if (last == first + 1) last = first;  // two names are as short one by one
    runs.push_back(first == last ? names[first]
                                 : fmt::format("{} .. {}", names[first], names[last]));
    first = last + 1;
  }
  return runs;
}

/// A node by its type and its cables to the fabric: NIC, bandwidth, latency and class of each.
struct NodeKind {
  std::string type;
  std::vector<std::tuple<std::string, BytesPerSecond, Seconds, std::string>> attachment;
  friend auto operator<=>(const NodeKind&, const NodeKind&) = default;
};

struct NamedNode {
  std::string name;
  NodeKind kind;
};

/// The nodes that have vertices, by number.
std::map<int, NamedNode> nodes_of(const Cluster& cluster) {
  std::map<int, NamedNode> nodes;
  for (const Vertex& vertex : cluster.vertices) {
    if (vertex.node < 0 || nodes.contains(vertex.node)) continue;
    const auto number = static_cast<std::size_t>(vertex.node);
    NamedNode& node = nodes[vertex.node];
    node.name = node_name(vertex);
    if (number < cluster.node_types.size()) node.kind.type = cluster.node_types[number];
  }
  for (const Cable& cable : cluster.cables) {
    const Vertex& a = cluster.vertex(cable.a);
    const Vertex& b = cluster.vertex(cable.b);
    for (const Vertex* end : {&a, &b}) {
      if (a.node == b.node || end->node < 0) continue;
      nodes[end->node].kind.attachment.emplace_back(local_name(end->name), cable.bandwidth,
                                                    cable.latency, cable.link_class);
    }
  }
  return nodes;
}

using CablesOf = std::map<int, std::vector<const Cable*>>;  // by vertex

/// Those that begin or end in the node.
CablesOf cables_of_node(const Cluster& cluster, int node) {
  CablesOf cables;
  for (const Cable& cable : cluster.cables) {
    for (const int end : {cable.a, cable.b})
      if (cluster.vertex(end).node == node) cables[end].push_back(&cable);
  }
  return cables;
}

/// What is printed of a vertex without its name.
using Look = std::tuple<VertexKind, std::string, BytesPerSecond, BytesPerSecond>;
Look look_of(const Vertex& vertex) {
  return {vertex.kind, vertex.gpu, vertex.memory, vertex.staging_bandwidth};
}

bool leads_up(const Vertex& from, const Vertex& to) {
  return from.node == to.node && !leads_down(from, to);
}

/// A vertex of a tree, or a cable from it out of the node: the place of the vertex above, its own
/// look, and the cable to it.
using Below = std::tuple<std::size_t, Look, std::string>;

/// The tree below the first of `vertices`, level by level. Appends its vertices.
std::vector<Below> tree_below(const Cluster& cluster, const CablesOf& cables,
                              std::vector<int>& vertices) {
  const Vertex& root = cluster.vertex(vertices.front());
  std::vector<Below> tree{{0, look_of(root), ""}};
  for (std::size_t above = 0; above < vertices.size(); ++above) {
    const int at = vertices[above];
    for (const Cable* const cable : cables.at(at)) {
      const int other = cable->a == at ? cable->b : cable->a;
      const bool is_known = std::ranges::find(vertices, other) != vertices.end();
      if (is_known || leads_up(cluster.vertex(at), cluster.vertex(other))) continue;
      if (cluster.vertex(other).node == root.node) vertices.push_back(other);
      tree.emplace_back(above, look_of(cluster.vertex(other)), rate_of(*cable));
    }
  }
  return tree;
}

/// How many cables within the node are neither between sockets nor to an NVSwitch.
std::size_t count_in_trees(const Cluster& cluster, int node) {
  return static_cast<std::size_t>(std::ranges::count_if(cluster.cables, [&](const Cable& cable) {
    const Vertex& a = cluster.vertex(cable.a);
    const Vertex& b = cluster.vertex(cable.b);
    const bool to_switch = a.kind == VertexKind::nvswitch || b.kind == VertexKind::nvswitch;
    return a.node == node && b.node == node && !to_switch && !cluster.joins_sockets(cable);
  }));
}

}  // namespace

std::string node_name(const Vertex& vertex) {
  const std::size_t point = vertex.name.rfind('.');
  return point == std::string::npos ? fmt::format("node{}", vertex.node)
                                    : vertex.name.substr(0, point);
}

std::string local_name(const std::string& name) {
  return name.substr(name.rfind('.') + 1);
}

std::string in_short(std::span<const std::string> names) {
  const std::vector<std::string> runs = runs_of(names);
  constexpr std::size_t most = 4;
  return runs.size() <= most
             ? fmt::format("{}", fmt::join(runs, ", "))
             : fmt::format("{}, {}, ..., {}", names.front(), names[1], names.back());
}

std::string rate_of(const Cable& cable) {
  return fmt::format("{} {}", to_text(cable.bandwidth), cable.link_class);
}

SocketMesh socket_mesh(const Cluster& cluster, int node) {
  const auto is_socket = [&](int at) {
    const Vertex& vertex = cluster.vertex(at);
    return vertex.node == node && vertex.kind == VertexKind::cpu;
  };
  std::vector<std::string> sockets;
  for (std::size_t i = 0; i < cluster.vertices.size(); ++i) {
    if (is_socket(static_cast<int>(i))) sockets.push_back(cluster.vertices[i].name);
  }
  SocketMesh mesh;
  std::set<std::string> rates;
  for (std::size_t i = 0; i < cluster.cables.size(); ++i) {
    const Cable& cable = cluster.cables[i];
    if (!is_socket(cable.a) || !is_socket(cable.b)) continue;
    mesh.cables.insert(i);
    rates.insert(rate_of(cable));
  }
  const std::size_t count = sockets.size();
  if (count < 3 || mesh.cables.size() != count * (count - 1) / 2 || rates.size() != 1) return {};
  mesh.text = fmt::format("{}  {} between each two", in_short(sockets), *rates.begin());
  return mesh;
}

bool leads_down(const Vertex& from, const Vertex& to) {
  return !is_rank(from.kind) && from.kind != VertexKind::nic && to.kind != VertexKind::cpu &&
         to.kind != VertexKind::nvswitch;
}

std::vector<std::vector<int>> alike_sockets(const Cluster& cluster, int node) {
  constexpr std::size_t few = 4;
  const CablesOf cables = cables_of_node(cluster, node);
  std::vector<std::vector<int>> sockets;
  std::vector<Below> tree_of_first;
  std::size_t in_trees = 0;
  for (const auto& [at, beside] : cables) {
    if (cluster.vertex(at).kind != VertexKind::cpu) continue;
    sockets.push_back({at});
    std::vector<Below> tree = tree_below(cluster, cables, sockets.back());
    in_trees += sockets.back().size() - 1;
    if (sockets.size() == 1) tree_of_first = tree;
    if (tree != tree_of_first) return {};
  }
  const bool join_devices = count_in_trees(cluster, node) > in_trees;
  if (sockets.size() <= few || join_devices) sockets.clear();
  return sockets;
}

std::vector<AlikeNodes> alike_nodes(const Cluster& cluster) {
  std::vector<AlikeNodes> sets;
  std::vector<std::vector<std::string>> names;  // of each set
  std::map<NodeKind, std::size_t> known;
  for (const auto& [number, node] : nodes_of(cluster)) {
    const auto [place, is_new] = known.emplace(node.kind, sets.size());
    const bool has_type = !node.kind.type.empty();
    if (is_new || !has_type) {
      place->second = sets.size();
      sets.push_back({{}, node.kind.type});
      names.emplace_back();
    }
    sets[place->second].nodes.push_back(number);
    names[place->second].push_back(node.name);
  }
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const std::size_t count = sets[i].nodes.size();
    std::string& label = sets[i].label;
    if (count > 1) label = fmt::format("{} x {}", count, label);
    label = in_short(names[i]) + (label.empty() ? "" : fmt::format(" ({})", label));
  }
  return sets;
}

}  // namespace ringcast::detail
