#include "app/predict/push_pull.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/report/provenance.hpp"
#include "engine/collectives/parameter_server_async.hpp"
#include "engine/collectives/server_rounds.hpp"
#include "engine/numbers/error.hpp"
#include "sim/sim_transport.hpp"

namespace ringcast {
namespace {

/// The cells of a parameter server that does all-reduces have the same servers in the same places.
std::vector<PlannedCell> plan_servers(Scenario scenario, const Topology& topology) {
  scenario.algorithms = {"parameter-server"};
  scenario.ring_orders.resize(1);
  std::vector<PlannedCell> cells = plan(scenario, topology);
  for (PlannedCell& planned : cells) {
    expect_servers_in_use(planned, scenario);
    planned.options = with_servers(std::move(planned.options));
  }
  return cells;
}

PushPullRow row_of(const PlannedCell& planned, const Scenario& scenario, int rounds) {
  PushPullRow row;
  row.ranks = planned.cell.ranks;
  row.servers = static_cast<int>(planned.options.servers.size());
  row.servers_on_hosts = !planned.hosts.empty();
  row.workers = row.servers_on_hosts ? row.ranks : row.ranks - row.servers;
  row.size = planned.cell.size;
  row.type = planned.cell.reduction.type;
  row.transport = scenario.transport.name;
  row.rounds = rounds;
  return row;
}

void expect_feasible(const PushPullRow& row) {
  if (row.workers < 1) {
    throw ScenarioError{
        fmt::format("{}, all of which serve (expected one that works: more ranks, or "
                    "parameter_servers on fewer "
                    "nodes, or with on: host)",
                    counted(row.ranks, "rank"))};
  }
  constexpr double most = 1e9;
  const double messages = 2.0 * row.workers * row.servers * row.rounds;
  if (messages > most) {
    throw ScenarioError{fmt::format(
        "{}: {:.2g} messages are too many to simulate (expected at most {:.0g}; take fewer "
        "--rounds)",
        counted(row.ranks, "rank"), messages, most)};
  }
}

PushPullRow simulate_push_pull(const PlannedCell& planned, PushPullRow row,
                               const Scenario& scenario, const Topology& topology,
                               const ReportProgress& report) {
  const double messages = 2.0 * row.workers * row.servers * row.rounds;
  SimTransport::Options options;
  options.traffic.progress = [&](std::uint64_t delivered) {
    report(std::min(1.0, static_cast<double>(delivered) / messages));
  };
  options.buffer = planned.cell.size;
  options.hosts = planned.hosts;
  SimTransport transport{topology, row.ranks, scenario.transport, planned.cell.reduction, options};
  const ParameterServerAsync training{planned.options.servers};
  const std::uint64_t elements = row.size.count() / size_of(row.type).count();
  std::vector<double> rates;
  transport.run([&](RankContext& self) {
    const BufferId gradients = self.memory.allocate(row.size);
    const BufferId parameters = self.memory.allocate(row.size);
    const double rate = training.run({gradients, parameters, elements, row.rounds}, self);
    if (std::ranges::count(planned.options.servers, self.network.rank()) == 0) {
      rates.push_back(rate);
    }
  });
  expect(rates.size() == static_cast<std::size_t>(row.workers), "{} workers of {}", rates.size(),
         row.workers);
  for (const double rate : rates) {
    row.rounds_per_s += rate / row.workers;
  }
  const auto [slowest, fastest] = std::ranges::minmax(rates);
  row.slowest_rounds_per_s = slowest;
  row.fastest_rounds_per_s = fastest;
  return row;
}

}  // namespace

PushPullResult predict_push_pull(const Scenario& scenario, int rounds,
                                 const PredictOptions& options) {
  const Topology topology{build_cluster(scenario.cluster)};
  const std::vector<PlannedCell> cells = plan_servers(scenario, topology);
  std::vector<PushPullRow> rows;
  rows.reserve(cells.size());
  for (const PlannedCell& planned : cells) {
    rows.push_back(row_of(planned, scenario, rounds));
    expect_feasible(rows.back());
  }
  PushPullResult result;
  result.provenance = provenance_of(scenario, "simgrid", true);
  const auto work = [&](std::size_t cell, const ReportProgress& report) {
    return to_json(simulate_push_pull(cells[cell], rows[cell], scenario, topology, report));
  };
  const std::vector<CellOutcome> outcomes =
      run_cells(cells.size(), options.jobs, work, progress_of(cells, options));
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].succeeded) {
      result.rows.push_back(push_pull_row_from_json(outcomes[i].text));
    } else {
      result.failures.push_back(
          {rows[i].ranks, rows[i].size, outcomes[i].text, outcomes[i].exit_code});
    }
  }
  return result;
}

}  // namespace ringcast
