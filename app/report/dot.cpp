#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/report/alike.hpp"
#include "app/report/show.hpp"
#include "engine/numbers/printable.hpp"
#include "topology/cluster/index.hpp"

namespace ringcast {

namespace {

using detail::index;

/// The drawing of a kind of vertex. Columns count from the left: the fabric, sockets and NICs, root
/// complexes, PCIe switches, GPUs.
struct Look {
  int column;
  std::string_view style;
};

Look look_of(VertexKind kind) {
  switch (kind) {
    case VertexKind::network_switch:
      return {0, R"(shape=box, style="rounded,filled", fillcolor="#ffccbc")"};
    case VertexKind::nic:
      return {1, R"(shape=cds, fillcolor="#ffe0b2")"};
    case VertexKind::cpu:
      return {1, R"(shape=box3d, fillcolor="#bbdefb")"};
    case VertexKind::root_complex:
      return {2, R"(shape=ellipse, fillcolor="#e3f2fd")"};
    case VertexKind::pcie_switch:
      return {3, R"(shape=hexagon, fillcolor="#fff9c4")"};
    case VertexKind::gpu:
      return {4, R"(shape=box, fillcolor="#c8e6c9")"};
    case VertexKind::process:
      return {4, R"(shape=component, fillcolor="#c8e6c9")"};
    case VertexKind::nvswitch:
      return {5, R"(shape=octagon, fillcolor="#dcedc8")"};
  }
  return {};
}

std::string quoted(const std::string& text) {
  std::string escaped;
  for (const char c : without_controls(text, "\n")) {
    if (c == '"' || c == '\\') escaped.push_back('\\');
    escaped += c == '\n' ? "\\n" : std::string(1, c);
  }
  return fmt::format("\"{}\"", escaped);
}

class Drawing {
 public:
  explicit Drawing(const Topology& topology)
      : cluster_{topology.cluster()}, drawn_as_(cluster_.vertices.size()) {
    // More do not fit on a page.
    constexpr std::size_t most_vertices = 120;
    whole_ = cluster_.vertices.size() <= most_vertices;
    find_levels();
  }

  std::string text() {
    add_fabric();
    for (const detail::AlikeNodes& set : detail::alike_nodes(cluster_))
      add_nodes(set);
    align_columns();
    add_cables();
    return fmt::format(
        "graph {} {{\n"
        "  rankdir=LR; ranksep=0.9; nodesep=0.12; newrank=true; ordering=out; labelloc=t; "
        "fontsize=20;\n"
        "  fontname=\"Helvetica\"; label={};\n"
        "  node [style=filled, fontname=\"Helvetica\", fontsize=11, height=0.3, "
        "margin=\"0.1,0.04\"];\n"
        "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#607d8b\", fontcolor=\"#37474f\"];\n"
        "{}}}\n",
        quoted(cluster_.name), quoted(title()), out_);
  }

 private:
  [[nodiscard]] const Vertex& vertex(int i) const { return cluster_.vertex(i); }

  [[nodiscard]] std::string title() const {
    const bool all = std::ranges::equal(
        drawn_as_, cluster_.vertices,
        [](const Vertex* drawn, const Vertex& vertex) { return drawn == &vertex; });
    return cluster_.name + (all ? ""
                                : "\none of each set of nodes or sockets that are alike, one of "
                                  "each level of the fabric");
  }

  static std::string line_of(const Vertex& vertex, const std::string& label) {
    return fmt::format("{} [label={}, {}];\n", quoted(vertex.name), quoted(label),
                       look_of(vertex.kind).style);
  }

  [[nodiscard]] bool is_switch(int i) const { return vertex(i).kind == VertexKind::network_switch; }

  /// A switch with cables to nodes is of level 0, others are one above the lowest beside them.
  void find_levels() {
    std::vector<int> reached;
    levels_.resize(cluster_.vertices.size(), -1);
    const auto reach = [&](int from, int to, int level) {
      if ((level > 0) != is_switch(from) || !is_switch(to) || levels_[index(to)] >= 0) return;
      levels_[index(to)] = level;
      reached.push_back(to);
    };
    for (int level = 0; level == 0 || !reached.empty(); ++level) {
      const std::set<int> below{reached.begin(), reached.end()};
      reached.clear();
      for (const Cable& cable : cluster_.cables) {
        if (level == 0 || below.contains(cable.a)) reach(cable.a, cable.b, level);
        if (level == 0 || below.contains(cable.b)) reach(cable.b, cable.a, level);
      }
    }
  }

  /// In a large fabric, one vertex represents all switches of a level, whose names differ by a
  /// number only.
  void add_fabric() {
    std::map<std::pair<std::string, int>, std::vector<int>> levels;
    for (std::size_t i = 0; i < cluster_.vertices.size(); ++i) {
      const Vertex& vertex = cluster_.vertices[i];
      if (vertex.kind == VertexKind::network_switch) {
        const std::size_t past = vertex.name.find_last_not_of("0123456789") + 1;
        levels[{whole_ ? vertex.name : vertex.name.substr(0, past), levels_[i]}].push_back(
            static_cast<int>(i));
      }
    }
    for (const auto& [level, switches] : levels) {
      std::vector<std::string> names;
      for (const int i : switches) {
        names.push_back(vertex(i).name);
        drawn_as_[index(i)] = &vertex(switches.front());
      }
      const std::string label =
          names.size() == 1 ? names.front()
                            : fmt::format("{}\n{} switches", detail::in_short(names), names.size());
      out_ += "  " + line_of(vertex(switches.front()), label);
    }
  }

  /// In a large cluster the first of a node's alike sockets represents all, and the labels of its
  /// vertices name those of all.
  void join_alike_sockets(int node) {
    if (whole_) return;
    const std::vector<std::vector<int>> sockets = detail::alike_sockets(cluster_, node);
    for (std::size_t at = 0; !sockets.empty() && at < sockets.front().size(); ++at) {
      const int first = sockets.front()[at];
      std::vector<std::string> names;
      for (const std::vector<int>& vertices : sockets) {
        names.push_back(detail::local_name(vertex(vertices[at]).name));
        if (vertices[at] != first) drawn_as_[index(vertices[at])] = &vertex(first);
      }
      labels_[first] = detail::in_short(names);
    }
  }

  [[nodiscard]] std::string label_of(int i) const {
    const auto label = labels_.find(i);
    return label == labels_.end() ? detail::local_name(vertex(i).name) : label->second;
  }

  void add_nodes(const detail::AlikeNodes& set) {
    for (const int node : set.nodes) {
      if (!whole_ && node != set.nodes.front()) break;
      const bool stands_for_others = !whole_ && set.nodes.size() > 1;
      std::string members;
      std::string name;
      detail::SocketMesh mesh = detail::socket_mesh(cluster_, node);
      join_alike_sockets(node);
      for (std::size_t i = 0; i < cluster_.vertices.size(); ++i) {
        const Vertex& member = cluster_.vertices[i];
        if (member.node != node || drawn_as_[i] != nullptr) continue;
        name = detail::node_name(member);
        drawn_as_[i] = &member;
        members += "    " + line_of(member, label_of(static_cast<int>(i)));
      }
      fmt::format_to(std::back_inserter(out_),
                     "  subgraph cluster_{} {{\n    label={}; fontsize=14; labeljust=l; "
                     "color=\"#90a4ae\"; style=rounded;\n{}  }}\n",
                     node,
                     quoted((stands_for_others ? set.label : name) +
                            (mesh.text.empty() ? "" : "\n" + mesh.text)),
                     members);
      described_.merge(mesh.cables);
    }
  }

  /// Puts all `wanted` vertices into one column.
  template <typename Wanted>
  void align(const Wanted& wanted) {
    out_ += "  {rank=same;";
    for (std::size_t i = 0; i < drawn_as_.size(); ++i) {
      if (drawn_as_[i] == &cluster_.vertices[i] && wanted(static_cast<int>(i))) {
        out_ += " " + quoted(cluster_.vertices[i].name) + ";";
      }
    }
    out_ += "}\n";
  }

  /// From left to right: upper switches, switches with nodes, sockets and NICs, PCIe switches, GPUs
  /// or processes.
  void align_columns() {
    align([&](int i) { return levels_[index(i)] == 0; });
    align([&](int i) {
      return vertex(i).kind == VertexKind::cpu || vertex(i).kind == VertexKind::nic;
    });
    align([&](int i) { return is_rank(vertex(i).kind); });
  }

  /// Draws parallel cables, and in a large cluster all between two levels, as one.
  void add_cables() {
    std::vector<std::pair<const Cable*, int>> bundles;
    std::map<std::tuple<const Vertex*, const Vertex*, BytesPerSecond>, std::size_t> known;
    for (std::size_t i = 0; i < cluster_.cables.size(); ++i) {
      const Cable& cable = cluster_.cables[i];
      const Vertex* a = drawn_as_[index(cable.a)];
      const Vertex* b = drawn_as_[index(cable.b)];
      if (a == nullptr || b == nullptr || described_.contains(i)) continue;
      const auto [place, is_new] = known.emplace(
          std::tuple{std::min(a, b), std::max(a, b), cable.bandwidth}, bundles.size());
      if (is_new) bundles.emplace_back(&cable, 0);
      ++bundles[place->second].second;
    }
    // Graphviz puts the first of several below the others.
    std::ranges::reverse(bundles);
    for (const auto& [cable, count] : bundles)
      add_cable(*cable, count);
  }

  /// Draws a link between two GPUs, or two sockets, as a label beside them with a line to each: a
  /// direct line would cross other cables and their labels, as both ends are in one column.
  void add_link_in_column(const Vertex& a, const Vertex& b, const std::string& label,
                          std::string_view style) {
    const std::string name = quoted(fmt::format("{} - {}", a.name, b.name));
    fmt::format_to(
        std::back_inserter(out_),
        "  subgraph cluster_{} {{ {} [shape=plain, style=\"\", fontsize=9, label={}]; }}\n"
        "  {} -- {} [{}];\n  {} -- {} [{}];\n",
        a.node, name, quoted(label), quoted(a.name), name, style, quoted(b.name), name, style);
  }

  void add_cable(const Cable& cable, int count) {
    const Vertex* left = drawn_as_[index(cable.a)];
    const Vertex* right = drawn_as_[index(cable.b)];
    // The upper one of two switches is further left; of a level, the later one.
    const bool upwards = is_switch(cable.a) && is_switch(cable.b) &&
                         levels_[index(cable.a)] <= levels_[index(cable.b)];
    if (upwards || look_of(left->kind).column > look_of(right->kind).column) std::swap(left, right);
    const std::string rate = to_text(cable.bandwidth);
    const std::string label = count == 1 ? rate : fmt::format("{} x {}", count, rate);
    if (left->kind == VertexKind::gpu && right->kind == VertexKind::gpu) {
      add_link_in_column(*left, *right, label, R"(color="#388e3c")");
      return;
    }
    if (left->kind == VertexKind::cpu && right->kind == VertexKind::cpu) {
      add_link_in_column(*left, *right, label, R"(penwidth=2, color="#1976d2")");
      return;
    }
    fmt::format_to(std::back_inserter(out_), "  {} -- {} [label={}{}];\n", quoted(left->name),
                   quoted(right->name), quoted(label), style_of(left->kind, right->kind));
  }

  static std::string_view style_of(VertexKind left, VertexKind right) {
    if (right == VertexKind::nvswitch) return R"(, color="#388e3c")";
    const bool is_network =
        left == VertexKind::network_switch || (left == VertexKind::nic && right == VertexKind::nic);
    return is_network ? R"(, penwidth=1.5, color="#e64a19")" : "";
  }

  const Cluster& cluster_;
  std::vector<const Vertex*> drawn_as_;  // null: not drawn
  std::map<int, std::string> labels_;    // of vertices that represent others of their node
  std::set<std::size_t> described_;      // cables that a label of a node describes
  std::vector<int> levels_;              // of switches; -1: of no fabric
  bool whole_ = true;
  std::string out_;
};

}  // namespace

std::string dot(const Topology& topology) {
  return Drawing{topology}.text();
}

}  // namespace ringcast
