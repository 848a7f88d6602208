#include "topology/router.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <queue>

#include <boost/graph/compressed_sparse_row_graph.hpp>

#include "topology/reach.hpp"
#include "topology/spread.hpp"

namespace ringcast::detail {

struct Crossing {
  LinkId link{};
  std::uint64_t cost = 0;
};
using Adjacency =
    boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Crossing>;

namespace {

/// The cost of one crossing exceeds that of a thousand crossings of the kind before.
std::uint64_t crossing_cost(VertexKind a, VertexKind b) {
  constexpr std::uint64_t nvlink = 1;
  constexpr std::uint64_t pcie = 1000 * nvlink;
  constexpr std::uint64_t socket = 1000 * pcie;
  constexpr std::uint64_t network = 1000 * socket;
  const auto both = [a, b](auto is) { return is(a) && is(b); };
  if (a == VertexKind::network_switch || b == VertexKind::network_switch ||
      both([](VertexKind kind) { return kind == VertexKind::nic; })) {
    return network;
  }
  if (both([](VertexKind kind) { return kind == VertexKind::cpu; })) {
    return socket;
  }
  if (both([](VertexKind k) { return k == VertexKind::gpu || k == VertexKind::nvswitch; })) {
    return nvlink;
  }
  return pcie;
}

Adjacency adjacency_of(const Cluster& cluster) {
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  std::vector<Crossing> crossings;
  for (std::size_t i = 0; i < cluster.cables.size(); ++i) {
    const auto a = static_cast<std::size_t>(cluster.cables[i].a);
    const auto b = static_cast<std::size_t>(cluster.cables[i].b);
    const std::uint64_t cost = crossing_cost(cluster.vertices[a].kind, cluster.vertices[b].kind);
    edges.insert(edges.end(), {{a, b}, {b, a}});
    crossings.push_back({LinkId{static_cast<int>(2 * i)}, cost});
    crossings.push_back({LinkId{static_cast<int>(2 * i + 1)}, cost});
  }
  return Adjacency{boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(),
                   crossings.begin(), cluster.vertices.size()};
}

/// Numbers the vertices of each kind in each node; zero for network switches.
std::vector<std::uint64_t> numbers_in_node(const Cluster& cluster) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(cluster.vertices.size());
  std::vector<std::array<std::uint64_t, vertex_kinds>> next;  // by node
  for (const Vertex& vertex : cluster.vertices) {
    const auto node = static_cast<std::size_t>(std::max(0, vertex.node));
    next.resize(std::max(next.size(), node + 1));
    numbers.push_back(vertex.node < 0 ? 0 : next[node][static_cast<std::size_t>(vertex.kind)]++);
  }
  return numbers;
}

}  // namespace

struct Router::Network {
  /// The last hop of a route to a vertex: from `neighbour` over `link`.
  struct Hop {
    int neighbour;
    LinkId link;
    friend auto operator<=>(const Hop&, const Hop&) = default;
  };
  /// The distance of a vertex from the start of the current search.
  struct Reached {
    std::uint64_t cost = 0;
    std::uint64_t search = 0;  // the last search that reached it
  };
  /// The digits that choose among hops of equal cost, see hop_into().
  struct Choice {
    std::uint64_t in_node;
    std::uint64_t at_sender;
    std::uint64_t fabric;
  };

  Network(const Cluster& described, std::vector<int> rank_vertices)
      : cluster{described},
        ranks{std::move(rank_vertices)},
        numbers{numbers_in_node(described)},
        adjacency{adjacency_of(described)},
        spread{described},
        reached(described.vertices.size()) {}

  [[nodiscard]] const Vertex& vertex(int index) const {
    return cluster.vertices[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] bool is_switch(int index) const {
    return vertex(index).kind == VertexKind::network_switch;
  }
  [[nodiscard]] bool was_reached(int index) const {
    return reached[static_cast<std::size_t>(index)].search == search;
  }
  [[nodiscard]] std::uint64_t& cost_of(int index) {
    return reached[static_cast<std::size_t>(index)].cost;
  }

  bool measure(int from, int to) {
    return measure(from, to, Fabric::until_entered) || measure(from, to, Fabric::whole);
  }
  /// How far a search goes into the fabric. Once it has entered the destination's node, a switch
  /// that is no nearer is on no cheapest route, as entering from there costs another crossing of
  /// the network, which exceeds any way through the node; unless there is none from where it
  /// entered.
  enum class Fabric { until_entered, whole };
  bool measure(int from, int to, Fabric fabric);
  std::vector<Hop> hops_into(int at);
  Hop hop_into(int at, Choice& choice);
  Route trace(int from, int to);

  const Cluster& cluster;
  std::vector<int> ranks;
  std::vector<std::uint64_t> numbers;
  Adjacency adjacency;
  Spread spread;
  std::vector<Reached> reached;  // reused: a short search need not initialize all vertices
  std::uint64_t search = 0;
};

/// Runs Dijkstra's algorithm from one vertex until it reaches the other; false if it does not.
bool Router::Network::measure(int from, int to, Fabric fabric) {
  ++search;
  std::uint64_t entry_cost = std::numeric_limits<std::uint64_t>::max();  // the least cost
  const auto may_enter = [&](int at) {
    const Vertex& entered = vertex(at);
    const bool in_reach =
        entered.node < 0 || entered.node == vertex(from).node || entered.node == vertex(to).node;
    return in_reach && (!is_rank(entered.kind) || at == to);
  };
  const auto is_too_far = [&](int at, std::uint64_t cost) {
    return fabric == Fabric::until_entered && cost >= entry_cost && is_switch(at);
  };
  using Entry = std::pair<std::uint64_t, int>;  // cost, vertex
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  reached[static_cast<std::size_t>(from)] = {0, search};
  queue.push({0, from});
  while (!queue.empty()) {
    const auto [cost, at] = queue.top();
    queue.pop();
    if (at == to) {
      return true;
    }
    if (cost > cost_of(at) || is_too_far(at, cost)) {
      continue;
    }
    const auto [begin, end] = boost::out_edges(static_cast<std::size_t>(at), adjacency);
    for (auto edge = begin; edge != end; ++edge) {
      const int next = static_cast<int>(boost::target(*edge, adjacency));
      const std::uint64_t next_cost = cost + adjacency[*edge].cost;
      if (may_enter(next) && !is_too_far(next, next_cost) &&
          (!was_reached(next) || next_cost < cost_of(next))) {
        reached[static_cast<std::size_t>(next)] = {next_cost, search};
        queue.push({next_cost, next});
        if (is_switch(at) && !is_switch(next) && vertex(next).node == vertex(to).node) {
          entry_cost = std::min(entry_cost, next_cost);
        }
      }
    }
  }
  return false;
}

/// The last hops of all cheapest routes to a vertex; those from one neighbour are adjacent.
std::vector<Router::Network::Hop> Router::Network::hops_into(int at) {
  std::vector<Hop> hops;
  const auto [begin, end] = boost::out_edges(static_cast<std::size_t>(at), adjacency);
  for (auto edge = begin; edge != end; ++edge) {
    const int neighbour = static_cast<int>(boost::target(*edge, adjacency));
    const Crossing& out = adjacency[*edge];
    if (was_reached(neighbour) && cost_of(neighbour) + out.cost == cost_of(at)) {
      // The other direction of a cable is the link beside it.
      hops.push_back({neighbour, LinkId{static_cast<int>(index_of(out.link) ^ 1U)}});
    }
  }
  std::ranges::sort(hops);
  return hops;
}

/// Chooses the last hop among the cheapest routes to a vertex, by the destination.
/// - Within a node each choice consumes a digit of a number: in the destination's node the index of
///   the GPU, so that GPUs share equally near cards; in the sender's node that plus the index of
///   the destination's node, so that messages to several nodes share them too.
/// - In the fabric Spread decides.
Router::Network::Hop Router::Network::hop_into(int at, Choice& choice) {
  const std::vector<Hop> hops = hops_into(at);
  if (is_switch(at) && !is_switch(hops.front().neighbour)) {
    choice.in_node = choice.at_sender;
  } else if (!is_switch(at) && is_switch(hops.front().neighbour)) {
    choice.fabric = spread.number_of(at);
  }
  if (hops.size() == 1) {
    return hops.front();
  }
  std::vector<std::size_t> starts;  // the first hop from each neighbour
  for (std::size_t i = 0; i < hops.size(); ++i) {
    if (i == 0 || hops[i].neighbour != hops[i - 1].neighbour) {
      starts.push_back(i);
    }
  }
  const bool in_fabric = is_switch(hops.front().neighbour);
  const auto next_digit = [&choice](std::size_t base) {
    return std::exchange(choice.in_node, choice.in_node / base) % base;
  };
  const std::size_t chosen =
      in_fabric ? spread.neighbour(at, choice.fabric, starts.size()) : next_digit(starts.size());
  const std::size_t first = starts[chosen];
  const std::size_t past = chosen + 1 < starts.size() ? starts[chosen + 1] : hops.size();
  const std::size_t cable = in_fabric || is_switch(at) ? spread.cable(at, hops[first].neighbour,
                                                                      choice.fabric, past - first)
                                                       : next_digit(past - first);
  return hops[first + cable];
}

/// Walks back from the destination along the chosen hops.
Route Router::Network::trace(int from, int to) {
  const std::uint64_t number = numbers[static_cast<std::size_t>(to)];
  const auto node = static_cast<std::uint64_t>(std::max(0, vertex(to).node));
  Choice choice{number, number + node, 0};
  Route route;
  for (int at = to; at != from;) {
    const Hop hop = hop_into(at, choice);
    route.links.push_back(hop.link);
    route.latency += cluster.cables[index_of(hop.link) / 2].latency;
    at = hop.neighbour;
  }
  std::ranges::reverse(route.links);
  return route;
}

Router::Router(const Cluster& cluster, std::vector<int> ranks)
    : network_{std::make_unique<Network>(cluster, std::move(ranks))} {}
Router::~Router() = default;

std::optional<Route> Router::find(int from, int to) {
  if (!network_->measure(from, to)) {
    return std::nullopt;
  }
  return network_->trace(from, to);
}

std::optional<std::pair<Rank, Rank>> Router::disconnected_ranks() {
  if (all_ranks_meet(network_->cluster)) {
    return std::nullopt;
  }
  const std::vector<int>& ranks = network_->ranks;
  for (std::size_t a = 0; a < ranks.size(); ++a) {
    for (std::size_t b = a + 1; b < ranks.size(); ++b) {
      if (!find(ranks[a], ranks[b])) {
        return std::pair{Rank{static_cast<int>(a)}, Rank{static_cast<int>(b)}};
      }
    }
  }
  return std::nullopt;
}

}  // namespace ringcast::detail
