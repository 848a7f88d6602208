#include "topology/nccl/ring_traffic.hpp"

#include <algorithm>

#include "topology/rings/job_nodes.hpp"
#include "topology/transfers/nccl_links.hpp"

namespace ringcast::detail {
namespace {

TransportProfile without_gdr(TransportProfile profile) {
  profile.gdr.reset();
  return profile;
}

}  // namespace

RingTraffic::RingTraffic(const TransferPaths& paths, std::span<const RingOrder> rings)
    : rings_{static_cast<double>(rings.size())},
      paths_{&paths},
      by_host_{paths.topology(), without_gdr(paths.profile()), paths.places()},
      within_{paths},
      across_{paths},
      up_to_nics_{paths, CountedLinks::of_nodes},
      through_host_{by_host_},
      amd_nodes_{amd_nodes(paths.topology().cluster())} {
  for (const RingOrder& ring : rings) {
    for (const Rank rank : ring.ranks()) {
      if (ring.size() > 1) add(paths.between(rank, ring.next(rank)), rank, ring.next(rank));
    }
  }
}

void RingTraffic::for_each_crossed(const LinkLoads& loads, const auto& visit) const {
  const std::span<const Link> links = paths_->topology().links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const LinkId link{static_cast<int>(i)};
    if (links[i].kind == LinkKind::direction && loads.crossings(link) > 0) visit(link);
  }
}

int RingTraffic::nics_per_ring(NcclVersion version) const {
  int most = 1;
  for_each_crossed(across_, [&](LinkId link) {
    most = std::max(most, nics_of(paths_->topology(), link, version));
  });
  return most;
}

int RingTraffic::least_exits() const {
  const auto size = [](const auto& node) { return node.second.size(); };
  return exits_.empty() ? 0 : static_cast<int>(size(*std::ranges::min_element(exits_, {}, size)));
}

std::map<PathKind, double> RingTraffic::parts_within() const {
  std::map<PathKind, double> parts;
  for (const auto& [kind, hops] : within_by_kind_)
    parts[kind] = static_cast<double>(hops) / hops_within_;
  return parts;
}

bool RingTraffic::nvlink() const {
  return std::ranges::all_of(within_by_kind_,
                             [](const auto& each) { return each.first == PathKind::nvlink; });
}

void RingTraffic::add(const TransferPath& path, Rank from, Rank to) {
  if (path.kind == PathKind::network) {
    across_.add(from, to);
    up_to_nics_.add(from, to);
    through_host_.add(from, to);
    exits_[paths_->node_of(from)].insert(from);
    farthest_nic_ = std::max(farthest_nic_, path.level);
    if (path.rendezvous) rendezvous_ = path.rendezvous;
    staged_ = staged_ || path.staged_by_sender || path.staged_by_receiver;
  } else {
    within_.add(from, to);
    ++within_by_kind_[path.kind];
    ++hops_within_;
    if (path.staged_by_sender || path.level > PathLevel::pxb) ++past_root_;
  }
}

BytesPerSecond RingTraffic::nominal(const LinkLoads& loads, bool through_x86) const {
  const Topology& topology = paths_->topology();
  const auto is_intels = [&](LinkId link) {
    const int end = topology.begin_of(link);
    return !amd_nodes_.contains(topology.cluster().vertex(end).node);
  };
  double slowest = 0;
  for_each_crossed(loads, [&](LinkId link) {
    const double rate = nominal_rate(topology, link, through_x86 && is_intels(link));
    slowest = std::max(slowest, loads.crossings(link) / rate);
  });
  return BytesPerSecond{slowest > 0 ? rings_ / slowest : 0};
}

}  // namespace ringcast::detail
