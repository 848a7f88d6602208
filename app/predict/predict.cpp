#include "app/predict/predict.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "app/common/mapped.hpp"
#include "app/predict/cell_identity.hpp"
#include "app/predict/machine_of_scenario.hpp"
#include "app/predict/time_range.hpp"
#include "app/predict/tuned_cells.hpp"
#include "app/report/json_text.hpp"
#include "app/report/provenance.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/error.hpp"
#include "topology/transfers/near_nics.hpp"

namespace ringcast {
namespace {

std::vector<int> nodes_of_ranks(const Topology& topology) {
  std::vector<int> nodes;
  for (int rank = 0; rank < topology.ranks(); ++rank) {
    const int vertex = topology.vertex_of(Rank{rank});
    nodes.push_back(topology.cluster().vertex(vertex).node);
  }
  return nodes;
}

/// Servers on hosts become additional ranks on the sockets next to the GPUs that would be servers.
void move_to_hosts(PlannedCell& planned, const Topology& topology) {
  int next = planned.cell.ranks;
  for (Rank& server : planned.options.servers) {
    planned.hosts.push_back(topology.host_of(topology.vertex_of(server)));
    server = Rank{next++};
  }
}

void expect_traceable(const std::vector<PlannedCell>& cells) {
  if (cells.size() != 1) {
    throw ScenarioError{
        fmt::format("--trace: the sweep has {} cells (expected one; narrow it with --ranks, "
                    "--sizes, --algorithm and --ring)",
                    cells.size())};
  }
  constexpr double most = 500'000;
  const double messages = expected_message_count(cells.front());
  if (messages > most) {
    throw ScenarioError{fmt::format(
        "--trace: {:.0f} messages are too many to look at (expected at most {:.0f}; take fewer "
        "ranks or larger segments)",
        messages, most)};
  }
}

}  // namespace

void expect_room_for_data(const Cell& cell) {
  constexpr Bytes most = 4_GiB;
  // Divided, since the product may overflow 64 bits.
  if (cell.size.count() > most.count() / static_cast<std::uint64_t>(cell.ranks)) {
    throw ScenarioError{
        fmt::format("--check: {} x {} of data do not fit (expected at most {} in all; narrow the "
                    "sweep with --ranks and --sizes)",
                    cell.ranks, to_text(cell.size), to_text(most))};
  }
}

void expect_simulable(const PlannedCell& planned, double part, double most) {
  const double messages = part * expected_message_count(planned);
  if (messages <= most) return;
  const bool channels = planned.options.channels.size() > 1;
  std::string fewer = channels ? "fewer channels or fewer ranks" : "fewer ranks";
  if (planned.options.segment_size)
    fewer = (channels ? "larger segments, " : "larger segments or ") + fewer;
  throw ScenarioError{
      fmt::format("{:.2g} messages are too many to simulate (expected at most {:.0g}; take {})",
                  messages, most, fewer)};
}

namespace {

bool is_by_simgrid(const PredictOptions& options) {
  return options.fidelity == Fidelity::simgrid || options.check || options.trace;
}

/// A lower bound of the time of these on `jobs` cores.
Seconds time_on(int jobs, const std::vector<Seconds>& works) {
  const std::size_t at_once = std::min(works.size(), static_cast<std::size_t>(std::max(jobs, 1)));
  const Seconds sum = std::accumulate(works.begin(), works.end(), Seconds{0});
  return at_once == 0 ? Seconds{0} : sum / static_cast<double>(at_once);
}

}  // namespace

CellCache* cache_of(const PredictOptions& options) {
  return options.check || options.trace ? nullptr : options.cache;
}

double expected_message_count(const PlannedCell& planned) {
  const Cell& cell = planned.cell;
  const std::vector<std::string>& known = allreduce_names();
  if (std::find(known.begin(), known.end(), cell.algorithm) == known.end()) {
    return 1;  // its simulation reports the error; the other cells continue
  }
  const Bytes width = size_of(cell.reduction.type);
  return std::max(1.0, allreduce_message_count(cell.algorithm, planned.options,
                                               cell.size.count() / width.count(), width));
}

Seconds work_per_message_of(Fidelity fidelity) {
  constexpr Seconds simgrid{2.5e-6};
  constexpr Seconds fluid{1.4e-6};
  return fidelity == Fidelity::simgrid ? simgrid : fluid;
}

Seconds work_of_check(const Cell& cell) {
  constexpr Seconds each_byte{5e-9};
  return static_cast<double>(cell.size.count()) * cell.ranks * each_byte;
}

Seconds expected_work(const PlannedCell& planned, const PredictOptions& options) {
  // The two directions of a two-way ring share links and are simulated.
  const bool is_one_way = planned.cell.algorithm == "ring";
  constexpr double folded_ranks = 64;
  const double folded = std::min(1.0, folded_ranks / planned.cell.ranks);
  const Seconds each = is_by_simgrid(options) ? work_per_message_of(Fidelity::simgrid)
                       : is_one_way && is_plain_rings(planned, planned.options.channels.size())
                           ? work_per_ring_message
                           : folded * work_per_message_of(Fidelity::cheapest);
  return work_without_messages + expected_message_count(planned) * each +
         (options.check ? work_of_check(planned.cell) : Seconds{0});
}

std::vector<Prediction> best_predictions(const std::vector<PlannedCell>& cells,
                                         const std::vector<CellOutcome>& outcomes) {
  std::vector<Prediction> best;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    Prediction one = FailedCell{cells[i].cell, outcomes[i].text, outcomes[i].exit_code};
    if (outcomes[i].succeeded()) one = row_from_outcome(cells[i].cell, outcomes[i].text);
    if (!cells[i].is_alternative) {
      best.push_back(std::move(one));
      continue;
    }
    const auto* const row = std::get_if<Row>(&one);
    const auto* const fastest = std::get_if<Row>(&best.back());
    if (row != nullptr && (fastest == nullptr || row->time < fastest->time)) {
      best.back() = std::move(one);
    }
  }
  return best;
}

PoolProgress progress_of(const std::vector<PlannedCell>& cells, const PredictOptions& options) {
  return progress_of(
      mapped(cells, [&](const PlannedCell& planned) { return expected_work(planned, options); }),
      options);
}

PoolProgress progress_of(std::vector<Seconds> works, const PredictOptions& options) {
  const Seconds foreseen = is_by_simgrid(options) ? time_on(options.jobs, works) : Seconds{0};
  return weighted_progress(std::move(works), options.progress, foreseen);
}

std::vector<PlannedCell> plan(const Scenario& scenario, const Topology& topology) {
  TunedJobs jobs{scenario, topology};
  return plan(scenario, topology, jobs);
}

std::vector<PlannedCell> plan(const Scenario& scenario, const Topology& topology, TunedJobs& jobs) {
  std::vector<PlannedCell> cells = plan(scenario, nodes_of_ranks(topology));
  const TransportProfile& transport = scenario.transport;
  const bool may_split = !transport.shm || detail::NearNics::matter_to(transport);
  std::map<int, std::vector<int>> nodes;  // by ranks
  for (PlannedCell& planned : cells) {
    if (may_split && !has_servers(planned.cell.algorithm)) {
      const auto [known, is_new] = nodes.try_emplace(planned.cell.ranks);
      if (is_new) known->second = jobs.paths_of(planned.cell.ranks).nodes();
      planned.options.node_of = known->second;
    }
    if (scenario.servers_on_hosts && has_servers(planned.cell.algorithm)) {
      move_to_hosts(planned, topology);
    }
  }
  complete_as_nccl(cells, scenario, topology, jobs);
  if (!scenario.training) {
    cells = with_alternatives(std::move(cells), scenario.asks_for_whole_chunks);
  }
  return cells;
}

namespace {

/// If all cells are refused, the scenario is in error.
void expect_any_runnable(const std::vector<PlannedCell>& cells) {
  const bool refused = std::ranges::all_of(
      cells, [](const PlannedCell& planned) { return planned.refusal.has_value(); });
  if (refused && !cells.empty()) throw ScenarioError{*cells.front().refusal};
}

}  // namespace

Result predict(const Scenario& scenario, const PredictOptions& options) {
  const Topology topology{machine_of_jobs(scenario)};
  const std::vector<PlannedCell> cells = plan(scenario, topology);
  expect_any_runnable(cells);
  if (options.trace) {
    expect_traceable(cells);
  }
  Result result;
  result.provenance = provenance_of(scenario, "simgrid", true);

  const auto work = [&](std::size_t cell, const ReportProgress& report) {
    return checked_outcome(simulate(cells[cell], scenario, topology, options, report));
  };
  const CellIdentities identities{scenario, options.fidelity, options.with_bounds};
  const CellMemory memory{options.trace ? nullptr : options.kept,
                          [&](std::size_t cell) { return key_of(cells[cell].cell); },
                          cache_of(options),
                          [&](std::size_t cell) { return identities.of(cells[cell]); }};
  std::vector<CellOutcome> outcomes =
      run_cells(cells.size(), options.jobs, work, progress_of(cells, options), memory);
  result.failures = find_time_ranges(outcomes, cells, scenario, topology, options);
  for (Prediction& prediction : best_predictions(cells, outcomes)) {
    if (auto* const row = std::get_if<Row>(&prediction)) {
      result.rows.push_back(std::move(*row));
    } else {
      result.failures.push_back(std::get<FailedCell>(std::move(prediction)));
    }
  }
  return result;
}

}  // namespace ringcast
