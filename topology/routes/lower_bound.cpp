#include "topology/routes/lower_bound.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "topology/cluster/index.hpp"
#include "topology/routes/fabric_levels.hpp"

namespace ringcast {

namespace {

using detail::index;

/// The rate of a cable each way if both directions carry equally many bytes, as those of a cut or
/// of a party's ports do in the least: S, or the transfers that leave and enter parties.
BytesPerSecond rate_each_way(const Cable& cable) {
  const BytesPerSecond half = 0.5 * cable.both_ways;
  return half > BytesPerSecond{0} ? std::min(cable.bandwidth, half) : cable.bandwidth;
}

/// All cables between two vertices.
struct Joint {
  int a = 0;
  int b = 0;
  int cables = 0;
  BytesPerSecond bandwidth;
};

/// A joint whose removal disconnects `ranks` ranks from the rest.
struct Cut {
  Joint joint;
  int ranks = 0;
};

/// Finds bridges, the joints that lie on no cycle (Tarjan): in a depth-first search, no edge from
/// below a bridge leads above it. The search is iterative, because a chain of switches may be
/// longer than the call stack.
class CutSearch {
 public:
  CutSearch(const Topology& topology, std::span<const int> places)
      : total_{static_cast<int>(places.size())}, vertices_(topology.cluster().vertices.size()) {
    const auto& cables = topology.cluster().cables;
    std::unordered_map<std::uint64_t, std::size_t> known;  // by both ends
    known.reserve(cables.size());
    for (const Cable& cable : cables) {
      const auto [first, second] = std::minmax(cable.a, cable.b);
      const std::uint64_t ends =
          static_cast<std::uint64_t>(first) * vertices_.size() + static_cast<std::uint64_t>(second);
      const auto [place, is_new] = known.emplace(ends, joints_.size());
      if (is_new) {
        vertices_[index(cable.a)].joints.push_back(joints_.size());
        vertices_[index(cable.b)].joints.push_back(joints_.size());
        joints_.push_back({cable.a, cable.b, 0, BytesPerSecond{0}});
      }
      Joint& joint = joints_[place->second];
      ++joint.cables;
      joint.bandwidth = joint.bandwidth + rate_each_way(cable);
    }
    for (const int place : places) {
      ++vertices_[index(place)].ranks;
    }
    enter(places.front(), no_joint);
  }

  std::optional<Cut> narrowest() {
    while (!path_.empty()) {
      const int at = path_.back();
      Place& place = vertices_[index(at)];
      if (place.next == place.joints.size()) {
        leave();
        continue;
      }
      const std::size_t joint = place.joints[place.next++];
      const int other = joints_[joint].a == at ? joints_[joint].b : joints_[joint].a;
      if (vertices_[index(other)].entered == 0) {
        enter(other, joint);
      } else if (joint != place.entered_by) {
        place.lowest = std::min(place.lowest, vertices_[index(other)].entered);
      }
    }
    return narrowest_;
  }

 private:
  static constexpr std::size_t no_joint = static_cast<std::size_t>(-1);

  struct Place {
    std::vector<std::size_t> joints;
    std::size_t next = 0;  // the next joint to visit
    std::size_t entered_by = no_joint;
    int entered = 0;  // order of discovery; 0: undiscovered
    int lowest = 0;   // the earliest vertex reachable from below (lowlink)
    int ranks = 0;    // in the subtree
  };

  void enter(int at, std::size_t joint) {
    Place& place = vertices_[index(at)];
    place.entered = place.lowest = ++clock_;
    place.entered_by = joint;
    path_.push_back(at);
  }

  void leave() {
    const Place& done = vertices_[index(path_.back())];
    path_.pop_back();
    if (path_.empty()) {
      return;
    }
    Place& above = vertices_[index(path_.back())];
    above.lowest = std::min(above.lowest, done.lowest);
    above.ranks += done.ranks;
    if (done.lowest <= above.entered || done.ranks == 0 || done.ranks == total_) {
      return;
    }
    const Joint& joint = joints_[done.entered_by];
    if (!narrowest_ || joint.bandwidth < narrowest_->joint.bandwidth) {
      narrowest_ = Cut{joint, done.ranks};
    }
  }

  int total_;
  std::vector<Place> vertices_;
  std::vector<Joint> joints_;
  std::vector<int> path_;
  int clock_ = 0;
  std::optional<Cut> narrowest_;
};

LowerBound cut_bound(const Topology& topology, std::span<const int> places, Bytes size) {
  const std::optional<Cut> cut = CutSearch{topology, places}.narrowest();
  if (!cut) {
    return {};
  }
  const auto& vertices = topology.cluster().vertices;
  const std::string cables =
      cut->joint.cables == 1 ? "cable" : fmt::format("{} cables", cut->joint.cables);
  return {size / cut->joint.bandwidth,
          fmt::format("the {} {} - {} between {} of the ranks and the other {} ({})", cables,
                      vertices[index(cut->joint.a)].name, vertices[index(cut->joint.b)].name,
                      cut->ranks, static_cast<int>(places.size()) - cut->ranks,
                      to_text(cut->joint.bandwidth))};
}

/// Outgoing bandwidth of each party.
using Parties = std::map<int, BytesPerSecond>;

LowerBound port_bound(const Parties& parties, Bytes size, std::string_view ports,
                      std::string_view owners) {
  BytesPerSecond total;
  bool alike = true;
  for (const auto& [party, bandwidth] : parties) {
    total = total + bandwidth;
    alike = alike && bandwidth == parties.begin()->second;
  }
  const auto count = static_cast<std::uint64_t>(parties.size());
  const std::string rate = alike ? fmt::format("{} x {}", count, to_text(parties.begin()->second))
                                 : fmt::format("{} in all", to_text(total));
  return {2 * (count - 1) * size / total,
          fmt::format("the {} of {} {} ({})", ports, count, owners, rate)};
}

/// `size` bytes leave each party and reach it, wherever they are combined.
LowerBound weakest_port_bound(const Parties& parties, Bytes size, std::string_view ports,
                              std::string_view owners) {
  const auto weakest =
      std::ranges::min_element(parties, {}, [](const auto& party) { return party.second.value(); });
  return {size / weakest->second, fmt::format("the {} of one of {} {} ({})", ports, parties.size(),
                                              owners, to_text(weakest->second))};
}

/// The parties of the places, `party_of` each vertex, and what their cables to others carry.
template <typename PartyOf>
Parties parties_of(const Topology& topology, std::span<const int> places, const PartyOf& party_of) {
  Parties parties;
  for (const int place : places)
    parties.emplace(party_of(place), BytesPerSecond{0});
  for (const Cable& cable : topology.cluster().cables) {
    if (party_of(cable.a) == party_of(cable.b)) continue;
    for (const int end : {cable.a, cable.b}) {
      if (const auto party = parties.find(party_of(end)); party != parties.end()) {
        party->second = party->second + rate_each_way(cable);
      }
    }
  }
  return parties;
}

void raise(LowerBound& bound, const LowerBound& other) {
  if (other.time >= bound.time) {
    bound = other;
  }
}

/// The parties are groups of nodes: those of a leaf, of a pod, ...
LowerBound fabric_bound(const Topology& topology, const Parties& nodes, Bytes size, bool helped) {
  std::vector<int> numbers;
  numbers.reserve(nodes.size());
  for (const auto& [node, bandwidth] : nodes)
    numbers.push_back(node);
  LowerBound bound;
  for (const auto& groups : detail::fabric_levels(topology, numbers)) {
    Parties parties;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      BytesPerSecond& bandwidth = parties[static_cast<int>(group)];
      for (const LinkId link : groups[group].out)
        bandwidth = bandwidth + rate_each_way(topology.cable_of(link));
    }
    raise(bound, weakest_port_bound(parties, size, "uplinks", "groups of nodes"));
    if (!helped) raise(bound, port_bound(parties, size, "uplinks", "groups of nodes"));
  }
  return bound;
}

/// Finds the vertices that hold the ranks' buffers. Between nodes a NIC accesses a
/// process's memory without its core, so the core's cable is no limit.
std::vector<int> memories(const Topology& topology, std::span<const int> places) {
  const auto& vertices = topology.cluster().vertices;
  const auto elsewhere = [&](int place) {
    return vertices[index(place)].node != vertices[index(places.front())].node;
  };
  std::vector<int> memories{places.begin(), places.end()};
  if (std::ranges::any_of(places, elsewhere)) {
    for (int& place : memories) {
      place = vertices[index(place)].kind == VertexKind::process ? topology.host_of(place) : place;
    }
  }
  return memories;
}

/// Names the ports of ranks at vertices of a kind, and their owners.
std::pair<std::string_view, std::string_view> names_of_ports(VertexKind kind) {
  switch (kind) {
    case VertexKind::gpu:
      return {"ports", "GPUs"};
    case VertexKind::process:
      return {"cores", "processes"};
    default:
      return {"cables", "sockets"};
  }
}

}  // namespace

LowerBound allreduce_lower_bound(const Topology& topology, std::span<const int> ranks, Bytes size,
                                 std::span<const int> helpers) {
  expect(!ranks.empty(), "an all-reduce of no ranks");
  if (ranks.size() == 1 || size == Bytes{0}) {
    return {Seconds{0}, "nothing to exchange"};
  }
  const std::vector<int> places = memories(topology, ranks);
  const Parties nodes = parties_of(
      topology, places, [&](int vertex) { return topology.cluster().vertex(vertex).node; });
  const bool outside = std::ranges::any_of(helpers, [&](int helper) {
    return !nodes.contains(topology.cluster().vertices[index(helper)].node);
  });
  const Parties owners = parties_of(topology, places, std::identity{});
  const auto [ports, names] =
      names_of_ports(topology.cluster().vertices[index(places.front())].kind);
  // The last one of equal bounds is named.
  LowerBound bound;
  if (owners.size() > 1) raise(bound, weakest_port_bound(owners, size, ports, names));
  if (nodes.size() > 1) raise(bound, weakest_port_bound(nodes, size, "NICs", "nodes"));
  raise(bound, fabric_bound(topology, nodes, size, outside));
  raise(bound, cut_bound(topology, places, size));
  if (nodes.size() > 1 && !outside) raise(bound, port_bound(nodes, size, "NICs", "nodes"));
  if (owners.size() > 1 && helpers.empty()) raise(bound, port_bound(owners, size, ports, names));
  if (bound.reason.empty()) {
    bound.reason = "host memory";
  }
  return bound;
}

}  // namespace ringcast
