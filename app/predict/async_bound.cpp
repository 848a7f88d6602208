#include "app/predict/async_bound.hpp"

#include <algorithm>

#include "app/predict/cached_machine.hpp"
#include "engine/schedule/chunks.hpp"
#include "engine/training/async_training.hpp"
#include "sim/sim_transport.hpp"

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

}  // namespace

Seconds async_iteration_bound(const PlannedTraining& planned, const Scenario& scenario,
                              const Topology& topology) {
  const Cell& cell = planned.cell;
  const CachedMachine machine{topology, scenario.transport.of_algorithm(cell.algorithm), cell.ranks,
                              cell.size};
  const TransferPaths paths{
      machine.fastest(), machine.transport(),
      places_of_job(machine.fastest(), cell.ranks, machine.transport(), planned.hosts)};
  const std::vector<Bytes> loads = loads_of(planned, paths);
  Seconds busiest{0};
  for (std::size_t link = 0; link < loads.size(); ++link) {
    busiest = std::max(busiest, loads[link] / paths.topology().links()[link].bandwidth);
  }
  return static_cast<double>(async_rounds - 1) / async_rounds * busiest;
}

}  // namespace ringcast
