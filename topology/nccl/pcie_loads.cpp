#include "topology/nccl/pcie_loads.hpp"

#include <algorithm>

#include "topology/links/link_class.hpp"

namespace ringcast::detail {

void add_load(ChannelLoad& sum, const ChannelLoad& other, double share) {
  for (const auto& [link, load] : other)
    sum[link] += share * load;
}

ChannelLoad NodeLoads::ring_through(const RingOrder& ring) const {
  const std::vector<Rank> visit = visit_of(ring);
  ChannelLoad load = chain_of(visit);
  if (machine_->nodes == 1) {
    add_load(load, load_of(visit.back(), visit.front()));
  } else {
    add_load(load, load_of(ring.previous(visit.front()), visit.front()));
    add_load(load, load_of(visit.back(), ring.next(visit.back())));
  }
  return load;
}

TreeShape NodeLoads::tree_through(const RingOrder& ring, bool last_is_second, bool balanced) const {
  std::vector<Rank> visit = visit_of(ring);
  const Rank previous = ring.previous(visit.front());
  if (last_is_second && visit.size() > 2) {
    std::rotate(visit.begin() + 1, visit.end() - 1, visit.end());
  }
  TreeShape tree{.chain = chain_of(visit), .uplink = {}};
  if (machine_->nodes == 1) return tree;
  const bool splits = balanced && visit.size() > 1;
  add_load(tree.uplink, load_of(previous, visit.front()));
  add_load(tree.uplink, load_of(visit.front(), previous), splits ? 0.5 : 1);
  if (splits) add_load(tree.uplink, load_of(visit[1], previous), 0.5);
  return tree;
}

int NodeLoads::nvlink_groups(const RingOrder& ring) const {
  const std::vector<Rank> visit = visit_of(ring);
  int groups = 0;
  bool joined = false;
  for (std::size_t i = 1; i < visit.size(); ++i) {
    const bool joins = paths_->between(visit[i - 1], visit[i]).kind == PathKind::nvlink;
    if (joins && !joined) ++groups;
    joined = joins;
  }
  return groups;
}

bool NodeLoads::crosses_sockets(const RingOrder& ring) const {
  const std::vector<Rank> visit = visit_of(ring);
  for (std::size_t i = 1; i < visit.size(); ++i) {
    if (paths_->between(visit[i - 1], visit[i]).level == PathLevel::sys) return true;
  }
  return false;
}

const Vertex& NodeLoads::vertex_of(int place) const {
  return paths_->topology().cluster().vertex(place);
}

bool NodeLoads::is_here(Rank rank) const {
  return paths_->node_of(rank) == paths_->node_of(node_->ranks.front());
}

/// The rank at which the ring enters the node; on one node, its first.
Rank NodeLoads::first_of(const RingOrder& ring) const {
  if (machine_->nodes == 1) return ring.rank_at(0);
  const std::span<const Rank> ranks = ring.ranks();
  const auto enters = [&](Rank rank) { return is_here(rank) && !is_here(ring.previous(rank)); };
  return *std::ranges::find_if(ranks, enters);
}

std::vector<Rank> NodeLoads::visit_of(const RingOrder& ring) const {
  std::vector<Rank> visit{first_of(ring)};
  for (Rank next = ring.next(visit.back()); next != visit.front() && is_here(next);
       next = ring.next(next))
    visit.push_back(next);
  return visit;
}

ChannelLoad NodeLoads::chain_of(const std::vector<Rank>& visit) const {
  ChannelLoad load;
  for (std::size_t i = 1; i < visit.size(); ++i)
    add_load(load, load_of(visit[i - 1], visit[i]));
  // NCCL's channels all cross between AMD's sockets in the same direction, ours in both: count
  // both.
  ChannelLoad other_way;
  for (const auto& [link, share] : load) {
    if (machine_->hosts.amd && machine_->nodes > 1 && joins_sockets(link)) {
      const LinkId back = back_from(link);
      if (!load.contains(back)) other_way[back] = share;
    }
  }
  add_load(load, other_way);
  return load;
}

/// Whether a path leads through the root complex of an Intel processor.
bool NodeLoads::has_small_packets(const TransferPath& path) const {
  if (machine_->hosts.amd || machine_->hosts.grace) return false;
  return path.level == PathLevel::phb || (path.staged_by_sender && path.level < PathLevel::phb);
}

/// The links of a path in this node: the sender's until the fabric, the receiver's after it.
std::vector<LinkId> NodeLoads::links_of(const TransferPath& path, Rank from, Rank to) const {
  const Topology& topology = paths_->topology();
  const auto in_fabric = [this](int place) { return vertex_of(place).node < 0; };
  std::vector<LinkId> links;
  bool here = is_here(from);
  const auto visit = [&](LinkId link) {
    if (topology.links()[index_of(link)].kind != LinkKind::direction) return;
    if (in_fabric(topology.begin_of(link))) here = is_here(to);
    if (here && is_own(link)) links.push_back(link);
    if (in_fabric(topology.end_of(link))) here = false;
  };
  for_each_leg(path, [&](const Leg& leg) { std::ranges::for_each(leg.links, visit); });
  return links;
}

ChannelLoad NodeLoads::load_of(Rank from, Rank to) const {
  const TransferPath& path = paths_->between(from, to);
  const bool small = is_here(from) && has_small_packets(path);
  ChannelLoad load;
  for (const LinkId link : links_of(path, from, to))
    load[link] += small && is_pcie(link) ? 6.0 / 5 : 1;
  if (!is_here(from)) add_answers(load, to);
  return load;
}

/// GPUs before Ampere send back an eighth of what a NIC writes to them.
void NodeLoads::add_answers(ChannelLoad& load, Rank to) const {
  if (machine_->gpus.generation != GpuGeneration::volta) return;
  const int receiver = paths_->places()[static_cast<std::size_t>(index_of(to))];
  ChannelLoad answers;
  for (const auto& [link, share] : load) {
    if (paths_->topology().end_of(link) == receiver) answers[back_from(link)] = share / 8;
  }
  add_load(load, answers);
}

bool NodeLoads::is_own(LinkId link) const {
  const Topology& topology = paths_->topology();
  return vertex_of(topology.begin_of(link)).node == node_->node ||
         vertex_of(topology.end_of(link)).node == node_->node;
}

bool NodeLoads::joins_sockets(LinkId link) const {
  const Topology& topology = paths_->topology();
  return topology.cluster().joins_sockets(topology.cable_of(link));
}

bool NodeLoads::is_pcie(LinkId link) const {
  return pcie_generation(paths_->topology().cable_of(link).base_class).has_value();
}

}  // namespace ringcast::detail
