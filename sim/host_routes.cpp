#include "sim/host_routes.hpp"

#include <fmt/format.h>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>

namespace ringcast {
namespace {

namespace s4u = simgrid::s4u;
namespace routing = simgrid::kernel::routing;

constexpr BytesPerSecond unlimited{1e18};

/// Between which hosts a copy goes; absent for a message.
std::optional<CopyDirection> copy_direction(bool from_memory, bool to_memory) {
  if (from_memory) {
    return to_memory ? CopyDirection::on_host : CopyDirection::to_device;
  }
  return to_memory ? std::optional{CopyDirection::to_host} : std::nullopt;
}

}  // namespace

/// A zone that is never sealed, so that links can be added to it while the simulation runs.
class HostRoutes::OwnLinks final : public routing::NetZoneImpl {
 public:
  explicit OwnLinks(const s4u::NetZone& zone) : NetZoneImpl{"own links"} {
    set_network_model(zone.get_impl()->get_network_model());
  }
  [[nodiscard]] s4u::Link* make() {
    return create_link(fmt::format("own{}", made_++), {unlimited.value()})->seal();
  }
  void get_local_route(const routing::NetPoint* /*from*/, const routing::NetPoint* /*to*/,
                       routing::Route* /*route*/, double* /*latency*/) override {}
  void get_graph(const s_xbt_graph_t* /*graph*/,
                 std::map<std::string, xbt_node_t, std::less<>>* /*nodes*/,
                 std::map<std::string, xbt_edge_t, std::less<>>* /*edges*/) override {}

 private:
  std::size_t made_ = 0;
};

HostRoutes::HostRoutes(const TransferPaths& paths, s4u::NetZone& zone)
    : paths_{&paths}, own_links_{std::make_unique<OwnLinks>(zone)} {
  const auto links = paths.topology().links();
  links_.reserve(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    links_.push_back(
        zone.create_link(fmt::format("link{}", i), links[i].bandwidth.value())->seal());
  }
  add_limits(zone);
}

HostRoutes::~HostRoutes() = default;

/// A link for each limit of single flows: SimGrid ignores a rate set for a copy.
void HostRoutes::add_limits(s4u::NetZone& zone) {
  const TransportProfile& profile = paths_->profile();
  for (const BytesPerSecond limit :
       {profile.copy_rate, profile.host_copy_rate, profile.on_host_rate()}) {
    if (limit > BytesPerSecond{0} && !limits_.contains(limit)) {
      limits_[limit] = zone.create_link(fmt::format("limit{}", limits_.size()), limit.value())
                           ->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE)
                           ->seal();
    }
  }
}

const HostRoute& HostRoutes::between(unsigned long from, unsigned long to) {
  const std::uint64_t key = std::uint64_t{from} << 32U | std::uint64_t{to};
  if (key == last_key_) {
    return *last_;
  }
  auto known = routes_.find(key);
  if (known == routes_.end()) {
    known = routes_.emplace(key, find(from, to)).first;
  }
  last_key_ = key;
  last_ = &known->second;
  return *last_;
}

HostRoute HostRoutes::find(unsigned long from, unsigned long to) const {
  const auto ranks = static_cast<unsigned long>(paths_->ranks());
  const auto rank_of = [ranks](unsigned long host) { return Rank{static_cast<int>(host % ranks)}; };
  HostRoute route;
  if (const auto direction = copy_direction(from >= ranks, to >= ranks)) {
    route.copy = paths_->copy_leg(rank_of(from), *direction);
  } else {
    route.path = &paths_->between(rank_of(from), rank_of(to));
  }
  const Leg& leg = route.leg();
  route.links.reserve(leg.links.size() + 2);
  route.links.push_back(own_links_->make());
  for (const LinkId link : leg.links) {
    route.links.push_back(links_[index_of(link)]);
  }
  if (leg.limit > BytesPerSecond{0}) {
    route.links.push_back(limits_.at(leg.limit));
  }
  return route;
}

BytesPerSecond HostRoutes::load_of(LinkId link) const {
  return BytesPerSecond{links_[index_of(link)]->get_usage()};
}

}  // namespace ringcast
