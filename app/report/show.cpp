#include "app/report/show.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/common/counted.hpp"
#include "app/common/mapped.hpp"
#include "app/report/alike.hpp"
#include "topology/cluster/index.hpp"

namespace ringcast {

namespace {

using detail::index;

using CablesOf = std::vector<std::vector<std::size_t>>;  // of each vertex

/// A line of text with lines below it.
struct Branch {
  std::string text;
  std::vector<Branch> below;
};

// Recursion follows the tree of the hardware, which is shallow.
void print(const std::vector<Branch>& branches, const std::string& indent, std::string& out) {
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const bool last = i + 1 == branches.size();
    out += indent + (last ? "└─ " : "├─ ") + branches[i].text + "\n";
    print(branches[i].below, indent + (last ? "   " : "│  "), out);
  }
}

/// The tree of one node: the devices below each socket, then the cables outside the tree.
class NodeTree {
 public:
  NodeTree(const Cluster& cluster, int node)
      : cluster_{cluster}, node_{node}, seen_(cluster.vertices.size()) {
    for (std::size_t i = 0; i < cluster.cables.size(); ++i) {
      const Cable& cable = cluster.cables[i];
      if (vertex(cable.a).node == node && vertex(cable.b).node == node) {
        cables_[cable.a].push_back(i);
        cables_[cable.b].push_back(i);
      }
    }
    for (std::size_t i = 0; i < cluster.vertices.size(); ++i)
      if (cluster.vertices[i].node == node) vertices_.push_back(static_cast<int>(i));
  }

  std::vector<Branch> branches() {
    std::vector<Branch> roots;
    std::optional<Branch> others = take_alike_sockets();
    // An imported node may have no socket; then its highest device is the root.
    for (const VertexKind kind :
         {VertexKind::cpu, VertexKind::root_complex, VertexKind::pcie_switch, VertexKind::gpu,
          VertexKind::nic, VertexKind::process}) {
      for (const int root : vertices_) {
        if (vertex(root).kind != kind || seen_[index(root)]) continue;
        roots.push_back(tree_below(root, ""));
        if (others) roots.push_back(*std::exchange(others, std::nullopt));
      }
    }
    if (detail::SocketMesh mesh = detail::socket_mesh(cluster_, node_); !mesh.cables.empty()) {
      shown_.merge(mesh.cables);
      roots.push_back({"between sockets", {{mesh.text, {}}}});
    }
    add_section(roots, "between sockets", [this](const Cable& cable) {
      return vertex(cable.a).kind == VertexKind::cpu && vertex(cable.b).kind == VertexKind::cpu;
    });
    add_section(roots, "between NICs", [this](const Cable& cable) {
      return vertex(cable.a).kind == VertexKind::nic && vertex(cable.b).kind == VertexKind::nic;
    });
    add_section(roots, "NVLink", [](const Cable&) { return true; });
    return roots;
  }

 private:
  [[nodiscard]] const Vertex& vertex(int i) const { return cluster_.vertex(i); }

  static std::string limit_text(std::string_view name, BytesPerSecond limit) {
    return limit > BytesPerSecond{0} ? fmt::format(", {} {}", name, to_text(limit)) : "";
  }

  // Recursion follows the tree of the hardware, which is shallow.
  Branch tree_below(int at, const std::string& cable_up) {
    seen_[index(at)] = true;
    const std::string& gpu = vertex(at).gpu;
    const std::string model = gpu.empty() ? "" : fmt::format(" ({})", gpu);
    Branch branch{fmt::format("{}  {}{}{}{}{}", vertex(at).name, name_of(vertex(at).kind), model,
                              limit_text("memory", vertex(at).memory),
                              limit_text("staged reads", vertex(at).staging_bandwidth), cable_up),
                  {}};
    for (const std::size_t i : cables_[at]) {
      const Cable& cable = cluster_.cables[i];
      const int below = cable.a == at ? cable.b : cable.a;
      if (seen_[index(below)] || !detail::leads_down(vertex(at), vertex(below))) continue;
      shown_.insert(i);
      branch.below.push_back(tree_below(below, "  " + detail::rate_of(cable)));
    }
    return branch;
  }

  /// Takes a vertex, and the cables that lead down from it, as shown.
  void take(int at) {
    seen_[index(at)] = true;
    for (const std::size_t i : cables_[at]) {
      const Cable& cable = cluster_.cables[i];
      const int other = cable.a == at ? cable.b : cable.a;
      if (detail::leads_down(vertex(at), vertex(other))) shown_.insert(i);
    }
  }

  /// One line for all sockets after the first, if they are like it.
  std::optional<Branch> take_alike_sockets() {
    const std::vector<std::vector<int>> sockets = detail::alike_sockets(cluster_, node_);
    if (sockets.empty()) return std::nullopt;
    std::set<int> taken;
    for (const std::vector<int>& vertices : std::span{sockets}.subspan(1))
      taken.insert(vertices.begin(), vertices.end());
    std::map<VertexKind, std::vector<std::string>> names;
    for (const int at : taken) {
      take(at);
      names[vertex(at).kind].push_back(vertex(at).name);
    }
    std::vector<std::string> devices;
    for (const VertexKind kind : {VertexKind::gpu, VertexKind::process, VertexKind::nic})
      if (names.contains(kind)) devices.push_back(detail::in_short(names[kind]));
    const std::vector<std::string>& others = names[VertexKind::cpu];
    return Branch{fmt::format("{}  {}, each as {}: {}", detail::in_short(others),
                              counted(others.size(), "cpu"), vertex(sockets.front().front()).name,
                              fmt::join(devices, ", ")),
                  {}};
  }

  /// The far ends of the `wanted` cables that are not shown yet, with their near ends. Cables of
  /// several GPUs to one NVSwitch share a line.
  template <typename Wanted>
  std::vector<std::pair<std::string, std::vector<std::string>>> take_ends(const Wanted& wanted) {
    std::vector<std::pair<std::string, std::vector<std::string>>> lines;
    for (const int at : vertices_) {
      for (const std::size_t i : cables_[at]) {
        const Cable& cable = cluster_.cables[i];
        if (cable.a != at || !wanted(cable) || !shown_.insert(i).second) continue;
        const Vertex& far = vertex(cable.b);
        const std::string text = fmt::format("{}  {}", far.name, detail::rate_of(cable));
        const bool joins = far.kind == VertexKind::nvswitch && !lines.empty();
        if (!joins || lines.back().first != text) lines.push_back({text, {}});
        lines.back().second.push_back(vertex(at).name);
      }
    }
    return lines;
  }

  template <typename Wanted>
  void add_section(std::vector<Branch>& branches, const std::string& title, const Wanted& wanted) {
    Branch section{title, {}};
    for (const auto& [far_end, near_ends] : take_ends(wanted)) {
      const std::string_view each = near_ends.size() == 1 ? "" : " each";
      section.below.push_back(
          {fmt::format("{} - {}{}", detail::in_short(near_ends), far_end, each), {}});
    }
    if (!section.below.empty()) branches.push_back(std::move(section));
  }

  const Cluster& cluster_;
  int node_;
  std::vector<int> vertices_;
  std::map<int, std::vector<std::size_t>> cables_;
  std::vector<bool> seen_;
  std::set<std::size_t> shown_;
};

/// The cables of a switch to nodes, and to switches with higher numbers, by rate; in brief without
/// the names of their far ends.
std::vector<Branch> switch_cables(const Cluster& cluster, int at,
                                  const std::vector<std::size_t>& cables, bool in_brief) {
  std::map<std::pair<bool, std::string>, std::vector<int>> ends;  // nodes before switches
  for (const std::size_t i : cables) {
    const Cable& cable = cluster.cables[i];
    const int other = cable.a == at ? cable.b : cable.a;
    const bool to_switch = cluster.vertex(other).node < 0;
    if (!to_switch || other > at) {
      ends[{to_switch, detail::rate_of(cable)}].push_back(other);
    }
  }
  std::vector<Branch> lines;
  for (const auto& [kind, others] : ends) {
    const auto& [to_switch, rate] = kind;
    const std::size_t count = others.size();
    const std::set<int> distinct{others.begin(), others.end()};  // of parallel cables, one
    const std::string to =
        in_brief
            ? counted(distinct.size(), to_switch ? "network switch" : "NIC")
            : detail::in_short(mapped(distinct, [&](int end) { return cluster.vertex(end).name; }));
    lines.push_back(
        {count == 1 ? fmt::format("{}  {}", to, rate) : fmt::format("{}  {} x {}", to, count, rate),
         {}});
  }
  return lines;
}

/// Consecutive switches with the same lines below share a branch.
std::vector<Branch> switch_branches(const Cluster& cluster, const CablesOf& cables) {
  constexpr auto most_with_names = 32;
  const bool in_brief = std::ranges::count(cluster.vertices, VertexKind::network_switch,
                                           &Vertex::kind) > most_with_names;
  std::vector<std::pair<std::vector<std::string>, std::vector<Branch>>> groups;
  for (std::size_t i = 0; i < cluster.vertices.size(); ++i) {
    if (cluster.vertices[i].kind != VertexKind::network_switch) continue;
    std::vector<Branch> own = switch_cables(cluster, static_cast<int>(i), cables[i], in_brief);
    if (groups.empty() ||
        !std::ranges::equal(own, groups.back().second, {}, &Branch::text, &Branch::text)) {
      groups.emplace_back(std::vector<std::string>{}, std::move(own));
    }
    groups.back().first.push_back(cluster.vertices[i].name);
  }
  std::vector<Branch> branches;
  for (auto& [names, below] : groups) {
    const std::string what =
        names.size() == 1 ? "network switch" : counted(names.size(), "network switch");
    const std::string_view each = names.size() > 1 && !below.empty() ? ", each:" : "";
    branches.push_back(
        {fmt::format("{}  {}{}", detail::in_short(names), what, each), std::move(below)});
  }
  return branches;
}

std::vector<Branch> fabric_branches(const Cluster& cluster) {
  CablesOf cables(cluster.vertices.size());
  std::vector<Branch> branches;
  for (std::size_t i = 0; i < cluster.cables.size(); ++i) {
    const Cable& cable = cluster.cables[i];
    const Vertex& a = cluster.vertex(cable.a);
    const Vertex& b = cluster.vertex(cable.b);
    cables[index(cable.a)].push_back(i);
    cables[index(cable.b)].push_back(i);
    if (a.node >= 0 && b.node >= 0 && a.node != b.node) {
      branches.push_back({fmt::format("{} - {}  {}", a.name, b.name, detail::rate_of(cable)), {}});
    }
  }
  std::ranges::move(switch_branches(cluster, cables), std::back_inserter(branches));
  return branches;
}

}  // namespace

std::string text_tree(const Topology& topology) {
  const Cluster& cluster = topology.cluster();
  const std::vector<detail::AlikeNodes> sets = detail::alike_nodes(cluster);
  std::size_t nodes = 0;
  for (const detail::AlikeNodes& set : sets)
    nodes += set.nodes.size();
  const bool has_gpus = cluster.vertex(topology.vertex_of(Rank{0})).kind == VertexKind::gpu;
  std::string out =
      fmt::format("{}: {} in {}\n", cluster.name,
                  counted(topology.ranks(), has_gpus ? "GPU" : "process"), counted(nodes, "node"));
  for (const detail::AlikeNodes& set : sets) {
    out += "\n" + set.label + "\n";
    print(NodeTree{cluster, set.nodes.front()}.branches(), "", out);
  }
  const std::vector<Branch> fabric = fabric_branches(cluster);
  if (!fabric.empty()) {
    out += "\nfabric\n";
    print(fabric, "", out);
  }
  return out;
}

}  // namespace ringcast
