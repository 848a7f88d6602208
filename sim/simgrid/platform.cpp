#include "sim/simgrid/platform.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>

#include "engine/numbers/error.hpp"
#include "sim/model/message_cost.hpp"
#include "sim/model/sim_processor.hpp"
#include "sim/simgrid/capacity_check.hpp"
#include "sim/simgrid/host_routes.hpp"

namespace ringcast {
namespace {

namespace s4u = simgrid::s4u;
namespace routing = simgrid::kernel::routing;
namespace resource = simgrid::kernel::resource;

// SimGrid shares a link between flows in inverse proportion to the latencies of their *routes*, and
// a flow starts after the route's latency times a *factor*. So every route here has the same
// latency, which makes sharing fair, and the factor sets the actual latency.
constexpr double route_latency_s = 1.0;

/// Whether ranks make local copies, which need a second SimGrid host per rank for the memory.
bool copies_by_itself(const TransportProfile& profile) {
  return !profile.pipelined_staging || profile.buffers == BufferPlace::host_copies;
}

/// Computes routes from our own graph on demand, so that there is no table of all pairs.
class OnDemandZone final : public routing::NetZoneImpl {
 public:
  OnDemandZone() : NetZoneImpl{"cluster"} {}
  void ask(HostRoutes& routes) { routes_ = &routes; }

  void get_local_route(const routing::NetPoint* from, const routing::NetPoint* to,
                       routing::Route* route, double* latency) override {
    for (const s4u::Link* const link : routes_->between(from->id(), to->id()).links) {
      route->link_list_.push_back(link->get_impl());
    }
    if (latency != nullptr) {
      *latency += route_latency_s;
    }
  }
  void get_graph(const s_xbt_graph_t* /*graph*/,
                 std::map<std::string, xbt_node_t, std::less<>>* /*nodes*/,
                 std::map<std::string, xbt_edge_t, std::less<>>* /*edges*/) override {}

 private:
  HostRoutes* routes_ = nullptr;
};

// SimGrid 3.32 has these members; later versions may not.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void set_owner(resource::Action& action, void* owner) {
  action.set_data(owner);
}
void* owner_of(const resource::Action& action) {
  return action.get_data();
}
#pragma GCC diagnostic pop

/// Keeps a communication for the rest of the process: it refers to its last flow, which we release.
s4u::Comm* kept(const s4u::CommPtr& comm) {
  static auto* const all = new std::vector<s4u::CommPtr>;
  all->push_back(comm);
  return comm.get();
}

// network/optim and network/maxmin-selective-update keep their defaults (Lazy, yes): see
// HostRoutes.
void configure() {
  // CM02 without a TCP window and without reverse traffic is latency plus size over bandwidth;
  // the defaults (LV08) put 5-13 % on that. The window is made too large to matter: 0, which also
  // switches it off, would switch off the limits of single flows too.
  s4u::Engine::set_config("network/model:CM02");
  s4u::Engine::set_config("network/TCP-gamma:1e30");
  s4u::Engine::set_config("network/crosstraffic:0");
  // The default of 1 ns is a tenth of a small message.
  s4u::Engine::set_config(fmt::format("surf/precision:{}", clock_precision.count()));
  // Guard pages take a memory map each, and the kernel allows 65,530: 40,000 actors would die.
  s4u::Engine::set_config("contexts/guard-size:0");
  s4u::Engine::set_config(
      "contexts/stack-size:128");  // KiB; SimGrid fills them, so they count in full
}

}  // namespace

struct Platform::Engine {
  Engine() : engine{&argc, argv.data()} { configure(); }

  // Suppresses SimGrid's messages about settings and deadlocks; ringcast reports deadlocks itself.
  std::string program = "ringcast";
  std::string quiet_settings = "--log=xbt_cfg.thres:critical";
  std::string quiet_engine = "--log=ker_engine.app:file:/dev/null";
  std::vector<char*> argv{program.data(), quiet_settings.data(), quiet_engine.data(), nullptr};
  int argc = 3;
  s4u::Engine engine;
  std::vector<s4u::Host*> hosts;
  std::optional<HostRoutes> routes;
  std::optional<CapacityCheck> capacity;
  std::vector<s4u::ActorPtr> actors;  // by rank
  resource::Model* network = nullptr;
  const FlowSpec* starting = nullptr;
  std::vector<resource::Action*> ended;  // not released yet: the kernel still updates them

  void drop_ended() {
    for (resource::Action* const action : ended) {
      action->unref();
    }
    ended.clear();
  }

  /// The latency of a flow that start_flow() did not start: a copy, or a message of a mailbox.
  [[nodiscard]] static Seconds latency(const TransferPaths& paths, const HostRoute& route,
                                       double size) {
    if (route.path == nullptr) {
      return route.copy.latency;
    }
    const Bytes length{static_cast<std::uint64_t>(size)};
    return route.path->overhead + paths.latency(*route.path, length);
  }
};

Platform::Platform(const TransferPaths& paths) : paths_{&paths} {
  static bool exists = false;
  expect(!exists, "a second simulation in one process");
  exists = true;
  engine_ = std::make_unique<Engine>();

  auto* zone = new OnDemandZone;  // SimGrid's engine owns its zones
  s4u::NetZone* const face = zone->get_iface();
  constexpr double any_speed = 1;  // hosts compute nothing: reductions are delays
  for (int rank = 0; rank < ranks(); ++rank) {
    engine_->hosts.push_back(face->create_host(fmt::format("rank{}", rank), any_speed)->seal());
  }
  for (int rank = 0; copies_by_itself(paths.profile()) && rank < ranks(); ++rank) {
    engine_->hosts.push_back(face->create_host(fmt::format("memory{}", rank), any_speed)->seal());
  }
  HostRoutes& routes = engine_->routes.emplace(paths, *face);
  zone->ask(routes);
  CapacityCheck& capacity = engine_->capacity.emplace(
      paths.topology(), [&routes](LinkId link) { return routes.load_of(link); });
  s4u::Engine::on_time_advance_cb([this, &capacity](double /*passed*/) {
    engine_->drop_ended();
    capacity.time_advanced(now());
  });
  face->get_network_model()->set_lat_factor_cb(
      [this, &routes, &capacity](double size, const s4u::Host* from, const s4u::Host* to,
                                 const auto& /*links*/, const auto& /*zones*/) {
        const unsigned long begin = from->get_netpoint()->id();
        const unsigned long end = to->get_netpoint()->id();
        const HostRoute& route = routes.between(begin, end);
        Seconds wait = engine_->starting != nullptr ? engine_->starting->latency
                                                    : Engine::latency(*paths_, route, size);
        if (delay_seed_) {
          wait += random_delay(*delay_seed_, begin, end);
        }
        capacity.flow_joins(route.leg(), now() + wait);
        return wait.count() / route_latency_s;
      });
  engine_->network = dynamic_cast<resource::Model*>(face->get_network_model());
  face->seal();
}

Platform::~Platform() = default;

s4u::Host* Platform::host(Rank rank) const {
  return engine_->hosts.at(static_cast<std::size_t>(index_of(rank)));
}

Seconds Platform::now() const {
  return Seconds{s4u::Engine::get_clock()};
}

void Platform::copy(Rank rank, CopyDirection direction, Bytes size) const {
  s4u::Host* const device = host(rank);
  s4u::Host* const memory = engine_->hosts.at(static_cast<std::size_t>(ranks()) +
                                              static_cast<std::size_t>(index_of(rank)));
  const s4u::CommPtr comm = s4u::Comm::sendto_init();
  comm->set_payload_size(size.count());
  // SimGrid starts the transfer once both ends are set.
  comm->set_source(direction == CopyDirection::to_host ? device : memory)
      ->set_destination(direction == CopyDirection::to_device ? device : memory);
  comm->wait();
}

void Platform::start_rank(Rank rank, const std::function<void()>& body) {
  engine_->actors.resize(static_cast<std::size_t>(ranks()));
  engine_->actors[static_cast<std::size_t>(index_of(rank))] =
      s4u::Actor::create(fmt::format("rank{}", index_of(rank)), host(rank), body);
}

void Platform::block() const {
  s4u::this_actor::suspend();
}

void Platform::wake(Rank rank) const {
  engine_->actors[static_cast<std::size_t>(index_of(rank))]->resume();
}

// SimGrid keeps all communications between hosts in one list and searches it when one ends. So each
// NetworkFlow reuses one communication, which never ends: its flow, an action of the kernel, is
// detached from it (set_activity), and is released here when it has ended.
void Platform::start_flow(NetworkFlow& on, const FlowSpec& flow, void* owner) {
  if (on.comm_ == nullptr) {
    on.comm_ = kept(s4u::Comm::sendto_init(host(flow.from), host(flow.to)));
  }
  engine_->starting = &flow;
  on.comm_->set_state(s4u::Activity::State::STARTING);
  on.comm_->set_payload_size(flow.bytes.count())->start();
  engine_->starting = nullptr;
  resource::Action& newest = engine_->network->get_started_action_set()->back();
  newest.set_activity(nullptr);
  set_owner(newest, owner);
  if (flow.limit > BytesPerSecond{0}) {
    newest.set_bound(flow.limit.value());  // no rate can be set for a Comm between hosts
  }
  on.running_ = &newest;
}

void Platform::on_flow_end(std::function<void(void* owner)> ended) {
  s4u::Link::on_communication_state_change_cb([this, ended = std::move(ended)](
                                                  resource::NetworkAction& flow,
                                                  resource::Action::State /*before*/) {
    // NetworkAction's definition is not installed; it derives from Action alone.
    auto& action = reinterpret_cast<resource::Action&>(flow);
    if (action.get_state() == resource::Action::State::FINISHED && owner_of(action) != nullptr) {
      engine_->ended.push_back(&action);
      ended(owner_of(action));
    }
  });
}

void Platform::before_time_passes(std::function<void()> action) {
  simgrid::kernel::timer::Timer::set(now().count(), std::move(action));
}

void Platform::run(const std::function<void()>& deadlock) {
  s4u::Engine::on_deadlock_cb(deadlock);
  engine_->engine.run();
  engine_->capacity->expect_kept();
}

}  // namespace ringcast
