#include "topology/transfers/path_level.hpp"

#include <algorithm>

#include "engine/numbers/error.hpp"

namespace ringcast {

namespace {

/// The number of vertices of a kind on a route, its start included.
int count_on_route(const Topology& topology, int from, const Route& route, VertexKind kind) {
  const auto is_one = [&](int at) { return topology.cluster().vertex(at).kind == kind; };
  const auto ends = std::ranges::count_if(
      route.links, [&](LinkId link) { return is_one(topology.end_of(link)); });
  return static_cast<int>(ends) + (is_one(from) ? 1 : 0);
}

}  // namespace

PathLevel level_between(const Topology& topology, int a, int b) {
  const std::vector<Vertex>& vertices = topology.cluster().vertices;
  const Vertex& first = vertices[static_cast<std::size_t>(a)];
  const Vertex& second = vertices[static_cast<std::size_t>(b)];
  expect(first.node == second.node, "{} and {} are in two nodes", first.name, second.name);
  const Route& route = topology.route_between(a, b);
  const auto count = [&](VertexKind kind) { return count_on_route(topology, a, route, kind); };
  if (count(VertexKind::cpu) > 1) return PathLevel::sys;
  if (count(VertexKind::root_complex) > 0 || count(VertexKind::cpu) > 0) return PathLevel::phb;
  const int switches = count(VertexKind::pcie_switch);
  if (switches > 0) return switches > 1 ? PathLevel::pxb : PathLevel::pix;
  return PathLevel::nvl;
}

PathLevel nic_level(const Topology& topology, int gpu, int nic, bool boards_have_switches) {
  const PathLevel level = level_between(topology, gpu, nic);
  if (level != PathLevel::phb) return level;
  const Route& route = topology.route_between(gpu, nic);
  const Cable& cable = topology.cable_of(route.links.front());
  const bool on_board = boards_have_switches && topology.cluster().vertex(gpu).on_board &&
                        count_on_route(topology, gpu, route, VertexKind::cpu) == 0;
  return on_board || cable.base_class == "nvlink-c2c" ? PathLevel::pxb : level;
}

std::optional<PathLevel> gdr_level(std::optional<PathLevel> allowed, bool past_root) {
  return allowed && past_root ? std::max(*allowed, PathLevel::phb) : allowed;
}

bool has_c2c(const Topology& topology, int gpu) {
  const Route& route = topology.route_between(gpu, topology.host_of(gpu));
  return topology.cable_of(route.links.front()).base_class == "nvlink-c2c";
}

bool reaches(std::optional<PathLevel> allowed, PathLevel level) {
  return allowed && level <= *allowed;
}

std::vector<const LinkClass*> link_classes_on(const Topology& topology,
                                              std::span<const LinkId> cables) {
  std::vector<const LinkClass*> classes;
  const std::string* last = nullptr;
  for (const LinkId direction : cables) {
    const std::string& own = topology.cable_of(direction).base_class;
    if (last != nullptr && *last == own) continue;
    last = &own;
    if (const LinkClass* const known = find_link_class(own)) classes.push_back(known);
  }
  return classes;
}

bool gdr_past_root(std::span<const LinkClass* const> network) {
  return std::ranges::any_of(network, [](const LinkClass* own) { return own->gdr_past_root; });
}

}  // namespace ringcast
