#include "sim/simgrid/host_routes.hpp"

#include <fmt/format.h>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>

namespace ringcast {
namespace {

namespace s4u = simgrid::s4u;
namespace routing = simgrid::kernel::routing;

/// The direction of a copy between two hosts; absent for a message.
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
    return create_link(fmt::format("own{}", made_++), {unlimited_rate.value()})->seal();
  }
  /// A link that limits each of its flows to this rate.
  [[nodiscard]] s4u::Link* make_limit(BytesPerSecond limit) {
    s4u::Link* const link = create_link(fmt::format("own{}", made_++), {limit.value()});
    return link->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE, {})->seal();
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
}

HostRoutes::~HostRoutes() = default;

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

HostRoute HostRoutes::find(unsigned long from, unsigned long to) {
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
    // SimGrid ignores a rate set for a copy, so the limit is a link.
    s4u::Link*& limit = limits_[leg.limit];
    if (limit == nullptr) limit = own_links_->make_limit(leg.limit);
    route.links.push_back(limit);
  }
  return route;
}

BytesPerSecond HostRoutes::load_of(LinkId link) const {
  return BytesPerSecond{links_[index_of(link)]->get_usage()};
}

}  // namespace ringcast
