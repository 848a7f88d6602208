#include "topology/rings/transfer_network.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "topology/cluster/index.hpp"

namespace ringcast::detail {

namespace {

/// A link as one arc. A limit for both ways of a cable is an arc for each way.
struct Resource {
  LinkId link{};
  LinkId direction{};  // of the limited cable; otherwise the link
  friend auto operator<=>(const Resource&, const Resource&) = default;
};

/// The links of a path with the number of crossings of each, in the order of first crossings.
using Crossings = std::vector<std::pair<Resource, int>>;

/// The links of all legs, in sequence.
std::vector<LinkId> links_of(const TransferPath& path) {
  std::vector<LinkId> links;
  for_each_leg(
      path, [&](const Leg& leg) { links.insert(links.end(), leg.links.begin(), leg.links.end()); });
  return links;
}

class Chains {
 public:
  Chains(const TransferPaths& paths, int node) : topology_{&paths.topology()}, node_{node} {}

  /// The links of a path that are on this node, its cables to the outside included. `from_here`:
  /// the sender is on this node. A memory is on the node of the cables next to it on the path.
  [[nodiscard]] Crossings of(const TransferPath& path, bool from_here) const {
    Crossings found;
    LinkId direction{};
    bool here = from_here;
    for (const LinkId link : links_of(path)) {
      const LinkKind kind = topology_->links()[index_of(link)].kind;
      if (kind == LinkKind::direction) {
        direction = link;
        here = is_here(topology_->begin_of(link)) || is_here(topology_->end_of(link));
      }
      if (here) {
        add(found, {link, kind == LinkKind::both_ways ? direction : link});
      }
    }
    return found;
  }

 private:
  [[nodiscard]] bool is_here(int vertex) const {
    return topology_->cluster().vertices[index(vertex)].node == node_;
  }
  static void add(Crossings& found, const Resource& resource) {
    for (auto& [known, times] : found) {
      if (known == resource) {
        ++times;
        return;
      }
    }
    found.emplace_back(resource, 1);
  }

  const Topology* topology_;
  int node_;
};

/// Transfers from the ranks of the node only, or also those from the outside to them.
enum class Direction { out, both };

class TransferNetwork {
 public:
  TransferNetwork(const TransferPaths& paths, const std::vector<Rank>& all,
                  const std::vector<Rank>& remote, const std::vector<int>& group_of,
                  Direction direction, const BoundedRings& bounded)
      : topology{&paths.topology()}, ranks{all.size()} {
    const int node = place_of(paths, all.front()).node;
    const Chains chains{paths, node};
    for (std::size_t i = 0; i < all.size() + (remote.empty() ? 0 : 1); ++i) {
      parties.push_back({flows.add_vertex(), flows.add_vertex()});
    }
    for (std::size_t a = 0; a < all.size(); ++a) {
      for (std::size_t b = 0; b < all.size(); ++b) {
        if (group_of[a] != group_of[b] && bounded.may_use(paths.between(all[a], all[b]), node)) {
          collect(parties[a].out, parties[b].in, chains.of(paths.between(all[a], all[b]), true));
        }
      }
      for (const Rank other : remote) {
        collect(parties[a].out, parties.back().in, chains.of(paths.between(all[a], other), true));
        if (direction == Direction::both) {
          collect(parties.back().out, parties[a].in,
                  chains.of(paths.between(other, all[a]), false));
        }
      }
    }
    connect_collected(bounded);
  }

  struct Ends {
    std::size_t out;
    std::size_t in;
  };
  struct Arc {
    std::size_t begin = 0;
    std::size_t end = 0;
    int least = 0;  // the least crossings of a path that crosses it
  };

  void collect(std::size_t from, std::size_t to, const Crossings& crossings) {
    std::size_t last = from;
    for (const auto& [resource, times] : crossings) {
      const auto [known, is_new] = resources.try_emplace(resource);
      Arc& arc = known->second;
      if (is_new) {
        arc = {flows.add_vertex(), flows.add_vertex(), times};
      }
      arc.least = std::min(arc.least, times);
      follows.emplace(last, arc.begin);
      last = arc.end;
    }
    follows.emplace(last, to);
  }

  void connect_collected(const BoundedRings& bounded) {
    for (const auto& [resource, arc] : resources) {
      const auto& link = topology->links()[index_of(resource.link)];
      const int ways = link.kind == LinkKind::both_ways ? 2 : 1;
      const double rate = bounded.rate_over(link.bandwidth, arc.least) / ways;
      flows.connect(arc.begin, arc.end, static_cast<FlowNetwork::Rate>(rate));
      flows.name_link(resource.link, arc.begin, arc.end);
    }
    for (const auto& [from, to] : follows) {
      flows.connect(from, to, FlowNetwork::unlimited);
    }
  }

  const Topology* topology;
  std::size_t ranks;
  FlowNetwork flows;
  std::vector<Ends> parties;  // the ranks, then the outside if there is one
  std::map<Resource, Arc> resources;
  std::set<std::pair<std::size_t, std::size_t>> follows;
};

/// A group for each rank.
std::vector<int> apart(const std::vector<Rank>& ranks) {
  std::vector<int> group_of(ranks.size());
  std::iota(group_of.begin(), group_of.end(), 0);
  return group_of;
}

}  // namespace

TransferCut outgoing_transfers(const TransferPaths& paths, const std::vector<Rank>& ranks,
                               const std::vector<Rank>& remote, const std::vector<int>& group_of,
                               const BoundedRings& bounded) {
  TransferNetwork network{paths, ranks, remote, group_of, Direction::out, bounded};
  const std::size_t source = network.flows.add_vertex();
  const std::size_t sink = network.flows.add_vertex();
  for (std::size_t i = 0; i < network.parties.size(); ++i) {
    if (i < network.ranks) {
      network.flows.connect(source, network.parties[i].out, FlowNetwork::unlimited);
    }
    network.flows.connect(network.parties[i].in, sink, FlowNetwork::unlimited);
  }
  return network.flows.cut(source, sink);
}

std::optional<TransferCut> narrowest_cut(const TransferPaths& paths, const std::vector<Rank>& ranks,
                                         const std::vector<Rank>& remote,
                                         const BoundedRings& bounded) {
  TransferNetwork network{paths, ranks, remote, apart(ranks), Direction::both, bounded};
  std::vector<std::size_t> ins;
  for (const TransferNetwork::Ends& party : network.parties) {
    network.flows.connect(party.in, party.out, FlowNetwork::unlimited);
    ins.push_back(party.in);
  }
  return network.flows.narrowest_cut(ins);
}

}  // namespace ringcast::detail
