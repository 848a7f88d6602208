#include "app/predict/iteration_bound.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "app/predict/async_window.hpp"
#include "app/predict/cached_machine.hpp"
#include "app/predict/training_messages.hpp"
#include "engine/schedule/chunks.hpp"
#include "engine/training/training_cost.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

/// A worker's bytes on each link, in a round.
std::map<LinkId, Bytes> loads_of(Rank worker, const PlannedTraining& planned,
                                 const TransferPaths& paths) {
  const std::vector<Rank>& servers = planned.options.servers;
  const Bytes width = size_of(planned.cell.reduction.type);
  const Chunks shards{{0, travelling_size(planned).count() / width.count()},
                      static_cast<int>(servers.size())};
  std::map<LinkId, Bytes> loads;
  for (std::size_t server = 0; server < servers.size(); ++server) {
    const Bytes shard = shards[static_cast<int>(server)].count * width;
    if (shard == Bytes{0}) continue;
    for (const auto& [from, to] :
         {std::pair{worker, servers[server]}, std::pair{servers[server], worker}}) {
      for (const LinkId link : paths.between(from, to).main.links) {
        loads[link] += shard;
      }
    }
  }
  return loads;
}

/// The rounds per second that a link admits if each carries `load`.
double most_rounds_per_s(Bytes load, LinkId link, const TransferPaths& paths) {
  return 1 / (load / paths.topology().links()[index_of(link)].bandwidth).count();
}

/// The workers whose rounds use a link.
struct LinkUsers {
  Bytes least_load;
  double rounds_per_s_alone = 0;  // of them all, each with all links to itself
};

Seconds asynchronous_bound(const PlannedTraining& planned, const TransferPaths& paths) {
  const std::vector<Rank>& servers = planned.options.servers;
  std::map<LinkId, LinkUsers> users;
  int workers = 0;
  double all_alone = 0;
  for (int i = 0; i < planned.cell.ranks; ++i) {
    if (std::ranges::find(servers, Rank{i}) != servers.end()) continue;
    ++workers;
    const std::map<LinkId, Bytes> loads = loads_of(Rank{i}, planned, paths);
    double alone = std::numeric_limits<double>::infinity();
    for (const auto& [link, load] : loads) {
      alone = std::min(alone, most_rounds_per_s(load, link, paths));
    }
    if (loads.empty()) return Seconds{0};
    all_alone += alone;
    for (const auto& [link, load] : loads) {
      LinkUsers& of_link = users.try_emplace(link, LinkUsers{load}).first->second;
      of_link.least_load = std::min(of_link.least_load, load);
      of_link.rounds_per_s_alone += alone;
    }
  }
  double most = all_alone;
  for (const auto& [link, of_link] : users) {
    const double others_alone = all_alone - of_link.rounds_per_s_alone;
    most = std::min(most, most_rounds_per_s(of_link.least_load, link, paths) + others_alone);
  }
  constexpr double counted = (window_rounds - 1.0) / (window_rounds + 1);
  return counted * Seconds{workers / most};
}

}  // namespace

Seconds iteration_bound(const PlannedTraining& planned, const Scenario& scenario,
                        const Topology& topology) {
  const Cell& cell = planned.cell;
  const CachedMachine machine{topology, scenario.transport.of_algorithm(cell.algorithm), cell.ranks,
                              working_set(planned)};
  std::vector<int> places =
      places_of_job(machine.fastest(), cell.ranks, machine.transport(), planned.hosts);
  if (is_asynchronous(planned)) {
    return asynchronous_bound(planned, {machine.fastest(), machine.transport(), std::move(places)});
  }
  return synchronous_iteration_bound(planned, scenario.training->noise, machine.fastest(), places)
      .time;
}

LowerBound synchronous_iteration_bound(const PlannedTraining& planned,
                                       const ComputationNoise& noise, const Topology& machine,
                                       std::span<const int> places) {
  const auto ranks = static_cast<std::size_t>(planned.cell.ranks);
  LowerBound bound = allreduce_lower_bound(machine, places.first(ranks), travelling_size(planned),
                                           places.subspan(ranks));
  const bool travel_after_backward = !planned.step.weights_before_forward;
  if (travel_after_backward && noise.sigma == 0 && !planned.step.buckets.empty()) {
    bound.time += ready_times(planned.step).front() + planned.step.optimizer;
  }
  return bound;
}

}  // namespace ringcast
