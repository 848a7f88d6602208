// Dijkstra's algorithm over vertices and cables. Between nodes it has three parts, the first two of
// which are cached for the many routes of a large job:
//   1. the gateways of both nodes (gateways.hpp), found once for each device, within its node;
//   2. the switches: their distances from the leaves of the sender's NICs, which all nodes of the
//      leaf share (fabric_distances.hpp);
//   3. the receiver's node, from its NICs.
#include "topology/routes/route_search.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <queue>
#include <utility>

#include "topology/cluster/index.hpp"
#include "topology/routes/cable_graph.hpp"
#include "topology/routes/crossing_cost.hpp"
#include "topology/routes/fabric_distances.hpp"
#include "topology/routes/gateways.hpp"

namespace ringcast::detail {

struct RouteSearch::State {
  /// The distance of a vertex from the start of the current search.
  struct Reached {
    std::uint64_t cost = 0;
    std::uint64_t search = 0;  // the last search that reached it
  };
  using Entry = std::pair<std::uint64_t, int>;  // cost, vertex
  static constexpr auto unreached = std::numeric_limits<std::uint64_t>::max();

  explicit State(const Cluster& described)
      : cluster{described},
        parts{fabric_parts(described)},
        cables{described, [](int /*vertex*/) { return true; }},
        trunks{described, [this](int at) { return is_switch(at); }},
        reached(described.vertices.size()),
        distances{described},
        known_gateways(described.vertices.size()) {}

  [[nodiscard]] const Vertex& vertex(int at) const { return cluster.vertices[index(at)]; }
  [[nodiscard]] bool is_switch(int at) const { return parts[index(at)] >= 0; }
  [[nodiscard]] bool was_reached(int at) const {
    return past_exits != nullptr && is_switch(at)
               ? (*past_exits)[distances.number_of(at)] != FabricDistances::unreachable
               : reached[index(at)].search == search;
  }
  [[nodiscard]] std::uint64_t cost_of(int at) const {
    return past_exits != nullptr && is_switch(at)
               ? exit_cost + network_cost * (1 + (*past_exits)[distances.number_of(at)])
               : reached[index(at)].cost;
  }
  void start() {
    ++search;
    past_exits = nullptr;
    kept_exit = -1;
    arrivals.clear();
  }
  /// The cost of a route to a vertex: for an entry, from outside of its node.
  [[nodiscard]] std::uint64_t arrival_cost(int at) const {
    const auto arrival = std::ranges::find(arrivals, at, &Entry::second);
    return arrival != arrivals.end() ? arrival->first : cost_of(at);
  }
  /// Calls `add` with each cable from a kept exit to a switch.
  template <typename Add>
  void for_each_exit_to(int at, const Add& add) const {
    for (const Gateway& exit : gateways.first) {
      if (kept_exit >= 0 && exit.vertex != kept_exit) continue;
      for (const CableGraph::Edge& edge : cables_between(exit.vertex, at))
        add(exit.vertex, edge.cost, edge.link);
    }
  }
  [[nodiscard]] std::vector<CableGraph::Edge> cables_between(int from, int to) const {
    std::vector<CableGraph::Edge> found;
    std::ranges::copy_if(cables.edges_from(from), std::back_inserter(found),
                         [to](const CableGraph::Edge& edge) { return edge.to == to; });
    return found;
  }
  /// The distances of switches from those that an exit is cabled to.
  [[nodiscard]] FabricDistances::Answer past(const Gateway& exit) {
    return distances.from(exit.beyond);
  }
  template <typename MayCross>
  bool measure(const std::vector<Entry>& from, int to, const MayCross& may_cross,
               std::uint64_t most = unreached);
  bool measure_from_gateways(int from, const std::vector<Gateway>& exits,
                             const std::vector<Gateway>& entries, int to);
  /// The gateways of a vertex's node that are its nearest in a component of the fabric.
  const std::vector<Gateway>& gateways_of(int from);
  bool run(int from, int to);

  const Cluster& cluster;
  std::vector<int> parts;
  CableGraph cables;
  CableGraph trunks;             // between switches
  std::vector<Reached> reached;  // reused, so that a short search does not initialize all vertices
  std::uint64_t search = 0;
  FabricDistances distances;
  /// The distances of switches from the exits, or from the kept one; null if the current search is
  /// a plain one.
  FabricDistances::Answer past_exits;
  std::uint64_t exit_cost = 0;
  std::vector<Entry> arrivals;                                      // at entries
  std::vector<std::optional<std::vector<Gateway>>> known_gateways;  // by vertex
  std::pair<std::vector<Gateway>, std::vector<Gateway>>
      gateways;           // exits, entries; none in one node
  int kept_exit = -1;     // -1: all are kept
  std::vector<Hop> hops;  // into a vertex
};

/// Runs Dijkstra's algorithm from the vertices `from` until it reaches `to`, or all vertices of
/// cost up to `most`; false if it does not reach `to`.
template <typename MayCross>
bool RouteSearch::State::measure(const std::vector<Entry>& from, int to, const MayCross& may_cross,
                                 std::uint64_t most) {
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (const auto& [cost, at] : from) {
    reached[index(at)] = {cost, search};
    queue.push({cost, at});
  }
  while (!queue.empty()) {
    const auto [cost, at] = queue.top();
    queue.pop();
    if (at == to || cost > most) {
      return at == to;
    }
    if (cost > cost_of(at)) {
      continue;
    }
    for (const CableGraph::Edge& edge : cables.edges_from(at)) {
      const int next = edge.to;
      const std::uint64_t next_cost = cost + edge.cost;
      if ((!is_rank(vertex(next).kind) || next == to) && may_cross(at, next) &&
          (!was_reached(next) || next_cost < cost_of(next))) {
        reached[index(next)] = {next_cost, search};
        queue.push({next_cost, next});
      }
    }
  }
  return false;
}

/// Between two nodes, a device uses its nearest NICs, all of them equally, whatever the length of
/// the route through the fabric.
bool RouteSearch::State::run(int from, int to) {
  const int here = vertex(from).node;
  const int there = vertex(to).node;
  gateways = {};
  if (here != there && here >= 0 && there >= 0) {
    gateways = nearest_gateways(gateways_of(from), gateways_of(to), parts);
    if (measure_from_gateways(from, gateways.first, gateways.second, to)) {
      return true;
    }
  }
  const auto is_open = [](const std::vector<Gateway>& open, int at) {
    return open.empty() || std::ranges::find(open, at, &Gateway::vertex) != open.end();
  };
  start();
  return measure({{0, from}}, to, [&](int at, int next) {
    const int node = vertex(next).node;
    if (vertex(at).node == node) {
      return true;
    }
    return (node < 0 || node == here || node == there) &&
           (vertex(at).node != here || is_open(gateways.first, at)) &&
           (node != there || is_open(gateways.second, next));
  });
}

const std::vector<Gateway>& RouteSearch::State::gateways_of(int from) {
  std::optional<std::vector<Gateway>>& known = known_gateways[index(from)];
  if (known) return *known;
  std::vector<Gateway> found;
  start();
  measure({{0, from}}, -1, [&](int at, int next) {
    if (vertex(next).node == vertex(from).node) {
      return true;
    }
    if (found.empty() || found.back().vertex != at) {
      found.push_back({at, cost_of(at)});
    }
    found.back().beyond.push_back(next);
    return false;
  });
  return known.emplace(nearest_in_parts(std::move(found), parts));
}

/// Searches the sender's node up to the exits, takes the distances of switches from the cache, and
/// searches the receiver's node from the entries. All entries start at one cost, so that equally
/// near NICs share the load whatever their distance from the sender. False, without any effect, if
/// NICs are cabled to each other or exits differ in cost.
bool RouteSearch::State::measure_from_gateways(int from, const std::vector<Gateway>& exits,
                                               const std::vector<Gateway>& entries, int to) {
  std::vector<int> starts;
  for (const Gateway& exit : exits) {
    starts.insert(starts.end(), exit.beyond.begin(), exit.beyond.end());
  }
  const auto leads_to_switches = [&](const Gateway& gateway) {
    return std::ranges::all_of(gateway.beyond, [&](int past) { return is_switch(past); });
  };
  const bool are_plain = std::ranges::all_of(entries, leads_to_switches) &&
                         std::ranges::all_of(exits, [&](const Gateway& exit) {
                           return leads_to_switches(exit) && exit.cost == exits.front().cost;
                         });
  if (exits.empty() || !are_plain) {
    return false;
  }
  start();
  exit_cost = exits.front().cost;
  measure(
      {{0, from}}, -1, [&](int at, int next) { return vertex(next).node == vertex(at).node; },
      exit_cost);
  past_exits = distances.from(starts);
  for (const Gateway& entry : entries) {
    std::uint64_t cost = unreached;
    for (const int past : entry.beyond) {
      cost = was_reached(past) ? std::min(cost, cost_of(past) + network_cost) : cost;
    }
    if (cost != unreached) arrivals.emplace_back(cost, entry.vertex);
  }
  std::vector<Entry> reached_entries = arrivals;
  if (!arrivals.empty()) {
    const std::uint64_t farthest = std::ranges::max(arrivals).first;
    for (Entry& entry : reached_entries)
      entry.first = farthest;
  }
  const int there = vertex(to).node;
  return measure(reached_entries, to,
                 [&](int /*at*/, int next) { return vertex(next).node == there; });
}

RouteSearch::RouteSearch(const Cluster& cluster) : state_{std::make_unique<State>(cluster)} {}
RouteSearch::~RouteSearch() = default;

bool RouteSearch::run(int from, int to) {
  return state_->run(from, to);
}

const std::vector<RouteSearch::Hop>& RouteSearch::hops_into(int at) {
  State& state = *state_;
  state.hops.clear();
  const std::uint64_t cost = state.arrival_cost(at);
  const auto add = [&](int neighbour, std::uint64_t crossing, LinkId link) {
    if (state.was_reached(neighbour) && state.cost_of(neighbour) + crossing == cost) {
      state.hops.push_back({neighbour, link});
    }
  };
  // All nodes may be cabled to a switch; routes reach it from the sender's exits and from switches.
  const bool is_past_exits = state.past_exits != nullptr && state.is_switch(at);
  const CableGraph& graph = is_past_exits ? state.trunks : state.cables;
  for (const CableGraph::Edge& back : graph.edges_from(at))
    add(back.to, back.cost, back_from(back.link));
  if (is_past_exits) state.for_each_exit_to(at, add);
  std::ranges::sort(state.hops);
  return state.hops;
}

std::vector<int> RouteSearch::exits_to(int at) const {
  State& state = *state_;
  std::vector<int> found;
  for (const Gateway& exit : state.gateways.first) {
    if (!std::ranges::all_of(exit.beyond, [&](int past) { return state.is_switch(past); })) {
      return {};
    }
    if ((*state.past(exit))[state.distances.number_of(at)] != FabricDistances::unreachable) {
      found.push_back(exit.vertex);
    }
  }
  std::ranges::sort(found);
  return found;
}

std::pair<std::vector<int>, std::vector<int>> RouteSearch::exits_and_entries(int from, int to) {
  const auto [exits, entries] =
      nearest_gateways(state_->gateways_of(from), state_->gateways_of(to), state_->parts);
  const auto vertices_of = [](const std::vector<Gateway>& gateways) {
    std::vector<int> vertices;
    std::ranges::transform(gateways, std::back_inserter(vertices), &Gateway::vertex);
    std::ranges::sort(vertices);
    return vertices;
  };
  return {vertices_of(exits), vertices_of(entries)};
}

void RouteSearch::keep_exit(int exit) {
  State& state = *state_;
  const Gateway& kept = *std::ranges::find(state.gateways.first, exit, &Gateway::vertex);
  state.kept_exit = exit;
  state.exit_cost = kept.cost;
  state.past_exits = state.past(kept);
}

}  // namespace ringcast::detail
