#include "topology/routes/router.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "topology/cluster/index.hpp"
#include "topology/routes/nic_ports.hpp"
#include "topology/routes/reach.hpp"
#include "topology/routes/route_search.hpp"
#include "topology/routes/spread.hpp"

namespace ringcast::detail {

namespace {

/// Numbers the vertices of each kind in each node in the order of their cables, which does not
/// depend on rank numbers: so GPUs below one switch share its NICs whatever their ranks are. Zero
/// for network switches.
std::vector<std::uint64_t> numbers_in_node(const Cluster& cluster) {
  constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> numbers(cluster.vertices.size(), none);
  std::vector<std::array<std::uint64_t, vertex_kinds>> next;  // by node
  const auto number = [&](int at) {
    const Vertex& vertex = cluster.vertices[index(at)];
    if (numbers[index(at)] != none) return;
    if (vertex.node < 0) {
      numbers[index(at)] = 0;
      return;
    }
    next.resize(std::max(next.size(), index(vertex.node) + 1));
    numbers[index(at)] = next[index(vertex.node)][static_cast<std::size_t>(vertex.kind)]++;
  };
  for (const Cable& cable : cluster.cables) {
    number(cable.a);
    number(cable.b);
  }
  for (int at = 0; index(at) < numbers.size(); ++at) {
    number(at);  // without a cable
  }
  return numbers;
}

}  // namespace

struct Router::Network {
  using Hop = RouteSearch::Hop;
  /// The digits that choose among hops of equal cost, see hop_into().
  struct Choice {
    std::uint64_t in_node;
    std::uint64_t at_sender;
    std::uint64_t fabric;
    int sender;  // its node
  };

  Network(const Cluster& described, std::vector<int> rank_vertices)
      : cluster{described},
        ranks{std::move(rank_vertices)},
        numbers{numbers_in_node(described)},
        ports{described, numbers},
        search{described},
        spread{described} {}

  [[nodiscard]] bool is_switch(int index) const {
    return cluster.vertex(index).kind == VertexKind::network_switch;
  }

  Hop hop_into(int at, Choice& choice);
  void choose_exit(int entry, int leaf, Choice& choice);
  Route trace(int from, int to, Choice choice);
  [[nodiscard]] int own_nic(std::vector<int> nearest, int rank) const;

  const Cluster& cluster;
  std::vector<int> ranks;
  std::vector<std::uint64_t> numbers;
  NicPorts ports;
  RouteSearch search;
  Spread spread;
};

/// Chooses the last hop among the cheapest routes to a vertex, by the destination.
/// - Within a node each choice consumes a digit of a number: in the destination's node the index of
///   the GPU, so that GPUs share equally near NICs; in the sender's node that plus the index of
///   the destination's node, so that messages to several nodes share them, too. The sender's NIC
///   is chosen before the route through the fabric, whose digits would otherwise choose it.
/// - In the fabric Spread decides.
Router::Network::Hop Router::Network::hop_into(int at, Choice& choice) {
  const std::vector<Hop>& hops = search.hops_into(at);
  if (is_switch(at) && !is_switch(hops.front().neighbour)) {
    choice.in_node = choice.at_sender;
  } else if (!is_switch(at) && is_switch(hops.front().neighbour)) {
    choice.fabric = spread.number_of(at);
  }
  if (hops.size() == 1) {
    return hops.front();
  }
  std::vector<int> neighbours;
  for (const Hop& hop : hops)
    if (neighbours.empty() || neighbours.back() != hop.neighbour)
      neighbours.push_back(hop.neighbour);
  ports.leave_out_slow(neighbours);
  const bool in_fabric = is_switch(hops.front().neighbour);
  if (!in_fabric) ports.leave_out_slow_rails_of(choice.sender, neighbours);
  const auto next_digit = [&choice](std::size_t base) {
    return std::exchange(choice.in_node, choice.in_node / base) % base;
  };
  const int chosen = neighbours[in_fabric ? spread.neighbour(at, choice.fabric, neighbours.size())
                                          : next_digit(neighbours.size())];
  const auto cables = static_cast<std::size_t>(std::ranges::count(hops, chosen, &Hop::neighbour));
  const std::size_t cable = in_fabric || is_switch(at)
                                ? spread.cable(at, chosen, choice.fabric, cables)
                                : next_digit(cables);
  return *(std::ranges::find(hops, chosen, &Hop::neighbour) + static_cast<std::ptrdiff_t>(cable));
}

/// Chooses the sender's NIC once trace() has reached the switch at the destination's NIC: one of
/// the rail by which the route enters the destination's node, if the sender has any. If the
/// sender has them at several switches, it is the NIC of the number by which the route enters.
/// Otherwise the NICs of that rail in the destination's node, and the destination's nodes, share
/// them.
void Router::Network::choose_exit(int entry, int leaf, Choice& choice) {
  std::vector<int> exits = search.exits_to(leaf);
  if (exits.size() < 2) return;
  const auto is_on_other_rail = [&](int exit) {
    return ports.rail_of(exit) != ports.rail_of(entry);
  };
  if (!std::ranges::all_of(exits, is_on_other_rail)) std::erase_if(exits, is_on_other_rail);
  const auto leaf_at = [this](int exit) { return ports.leaf_of(exit); };
  const auto number_at = [this](int exit) { return numbers[index(exit)]; };
  const bool at_several_switches =
      std::ranges::adjacent_find(exits, std::ranges::not_equal_to{}, leaf_at) != exits.end();
  const auto same_number = std::ranges::find(exits, number_at(entry), number_at);
  if (at_several_switches && same_number != exits.end()) {
    search.keep_exit(*same_number);
    return;
  }
  ports.leave_out_slow(exits);
  const auto node = static_cast<std::uint64_t>(cluster.vertex(entry).node);
  search.keep_exit(exits[(ports.place_of(entry) + node) % exits.size()]);
  choice.at_sender /= exits.size();
}

/// The one of equally near NICs by which messages from other nodes reach the rank, too.
int Router::Network::own_nic(std::vector<int> nearest, int rank) const {
  ports.leave_out_slow(nearest);
  return nearest[numbers[index(rank)] % nearest.size()];
}

/// Walks back from the destination along the chosen hops.
Route Router::Network::trace(int from, int to, Choice choice) {
  Route route;
  for (int at = to; at != from;) {
    const Hop hop = hop_into(at, choice);
    route.links.push_back(hop.link);
    route.latency += cluster.cables[index_of(hop.link) / 2].latency;
    if (!is_switch(at) && is_switch(hop.neighbour)) {
      choose_exit(at, hop.neighbour, choice);
    }
    at = hop.neighbour;
  }
  std::ranges::reverse(route.links);
  return route;
}

Router::Router(const Cluster& cluster, std::vector<int> ranks)
    : network_{std::make_unique<Network>(cluster, std::move(ranks))} {}
Router::~Router() = default;

std::optional<Route> Router::find(int from, int to) {
  if (!network_->search.run(from, to)) {
    return std::nullopt;
  }
  const std::uint64_t number = network_->numbers[index(to)];
  const auto node = static_cast<std::uint64_t>(std::max(0, network_->cluster.vertex(to).node));
  return network_->trace(from, to, {number, number + node, 0, network_->cluster.vertex(from).node});
}

std::optional<Route> Router::find_by_own_nics(int from, int to) {
  const auto [exits, entries] = network_->search.exits_and_entries(from, to);
  if (exits.empty()) return std::nullopt;
  const int out = network_->own_nic(exits, from);
  const int in = network_->own_nic(entries, to);
  const std::array stops{from, out, network_->ports.leaf_of(out), network_->ports.leaf_of(in),
                         in,   to};
  if (std::ranges::count(stops, -1) > 0) return std::nullopt;
  Route route;
  for (std::size_t i = 1; i < stops.size(); ++i) {
    if (!network_->search.run(stops[i - 1], stops[i])) return std::nullopt;
    const Network::Choice choice{0, 0, network_->spread.number_of(in),
                                 network_->cluster.vertex(from).node};
    const Route part = network_->trace(stops[i - 1], stops[i], choice);
    route.links.insert(route.links.end(), part.links.begin(), part.links.end());
    route.latency += part.latency;
  }
  return route;
}

std::optional<std::pair<Rank, Rank>> Router::disconnected_ranks() {
  if (all_ranks_meet(network_->cluster)) {
    return std::nullopt;
  }
  std::vector<int> ranks = network_->ranks;
  const std::size_t connected = index(network_->cluster.connected_ranks);
  if (connected > 0 && connected < ranks.size()) ranks.resize(connected);
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
