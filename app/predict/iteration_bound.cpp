#include "app/predict/iteration_bound.hpp"

#include <algorithm>

#include "app/predict/cached_machine.hpp"
#include "app/predict/training_messages.hpp"
#include "engine/schedule/chunks.hpp"
#include "engine/training/async_training.hpp"
#include "engine/training/training_cost.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

/// The bytes of a round on each link.
std::vector<Bytes> loads_of(const PlannedTraining& planned, const TransferPaths& paths) {
  const std::vector<Rank>& servers = planned.options.servers;
  std::uint64_t elements = 0;
  for (const Bucket& bucket : planned.step.buckets) {
    elements += travelling_elements(bucket, planned.step.compression);
  }
  const Chunks shards{{0, elements}, static_cast<int>(servers.size())};
  std::vector<Bytes> loads(paths.topology().links().size());
  const auto add = [&](Rank from, Rank to, Bytes size) {
    for (const LinkId link : paths.between(from, to).main.links) {
      loads[index_of(link)] += size;
    }
  };
  for (int i = 0; i < paths.ranks(); ++i) {
    const Rank worker{i};
    if (std::ranges::find(servers, worker) != servers.end()) continue;
    for (std::size_t server = 0; server < servers.size(); ++server) {
      const Bytes shard =
          shards[static_cast<int>(server)].count * size_of(planned.cell.reduction.type);
      add(worker, servers[server], shard);
      add(servers[server], worker, shard);
    }
  }
  return loads;
}

Seconds asynchronous_bound(const PlannedTraining& planned, const TransferPaths& paths) {
  const std::vector<Bytes> loads = loads_of(planned, paths);
  Seconds busiest{0};
  for (std::size_t link = 0; link < loads.size(); ++link) {
    busiest = std::max(busiest, loads[link] / paths.topology().links()[link].bandwidth);
  }
  return static_cast<double>(async_rounds - 1) / async_rounds * busiest;
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
