#include "app/predict/predict_training.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/common/mapped.hpp"
#include "app/predict/cell_identity.hpp"
#include "app/predict/machine_of_scenario.hpp"
#include "app/predict/training_calls.hpp"
#include "app/predict/training_messages.hpp"
#include "app/predict/tuned_cells.hpp"
#include "app/report/json_text.hpp"
#include "app/report/provenance.hpp"
#include "app/report/training_iterations.hpp"
#include "engine/numbers/available_memory.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

std::vector<PlannedTraining> plan_training(const Scenario& scenario, const Topology& topology) {
  TunedJobs jobs{scenario, topology};
  return plan_training(scenario, topology, jobs);
}

std::vector<PlannedTraining> plan_training(const Scenario& scenario, const Topology& topology,
                                           TunedJobs& jobs) {
  std::vector<PlannedTraining> cells = plan_training(scenario, plan(scenario, topology, jobs));
  for (PlannedTraining& planned : cells) {
    plan_calls(planned, scenario, topology, jobs);
  }
  return cells;
}

namespace {

void expect_workers(const PlannedTraining& planned) {
  const Cell& cell = planned.cell;
  if (is_asynchronous(planned) && planned.hosts.empty() &&
      planned.options.servers.size() >= static_cast<std::size_t>(cell.ranks)) {
    throw ScenarioError{fmt::format(
        "{}: every rank is a server (expected more ranks, or servers on hosts)", cell.algorithm)};
  }
}

/// The memory of a simulation with data: each rank's gradients, and as much again for copies in
/// flight and the scratch of the algorithms.
double memory_of_check(const PlannedTraining& planned) {
  const double of_weights = planned.step.weights_before_forward ? 2 : 1;
  return 2 * of_weights * planned.cell.ranks * static_cast<double>(planned.cell.size.count());
}

/// `at_once`: the number of simulations that run in parallel.
void expect_room_for_data(const PlannedTraining& planned, std::size_t at_once, Bytes free) {
  if (!planned.calls.empty()) return;  // each call had room
  const double needed = memory_of_check(planned) * static_cast<double>(at_once);
  if (needed > static_cast<double>(free.count())) {
    throw ScenarioError{
        fmt::format("--check: {} of {} with their copies in flight, in {}, need {:.1f} GB of "
                    "memory, and {} are "
                    "free (expected fewer ranks, a smaller model, or --jobs 1)",
                    counted(planned.cell.ranks, "buffer"), to_text(planned.cell.size),
                    counted(at_once, "simulation"), needed / 1e9, to_text(free))};
  }
}

/// One simulation: an iteration of a cell, or a broadcast of the weights.
struct Run {
  std::size_t cell;
  int repetition;
  bool broadcast = false;
};

/// But of cells with a failed call.
std::vector<Run> runs_of(const std::vector<PlannedTraining>& cells, const Training& training,
                         const SimulatedCalls& calls) {
  // Without jitter all repetitions are equal.
  const int repetitions = training.noise.sigma > 0 ? training.repetitions : 1;
  std::vector<Run> runs;
  std::set<BroadcastKey> broadcasts;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (calls.failure_of(cells[i])) continue;
    if (training.broadcast && broadcasts.insert(broadcast_key(cells[i])).second) {
      runs.push_back({i, 0, true});
    }
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      runs.push_back({i, repetition});
    }
  }
  return runs;
}

/// Collects the results of the simulations of each cell.
class Gathering {
 public:
  Gathering(const std::vector<PlannedTraining>& cells, const SimulatedCalls& calls)
      : cells_{cells},
        rows_(cells.size()),
        failures_{mapped(
            cells, [&](const PlannedTraining& planned) { return calls.failure_of(planned); })} {}

  void add(const Run& run, const CellOutcome& outcome) {
    if (!outcome.succeeded()) {
      (run.broadcast ? broadcast_failures_[broadcast_key(cells_[run.cell])] : failures_[run.cell]) =
          outcome;
    } else if (run.broadcast) {
      broadcasts_[broadcast_key(cells_[run.cell])] = Seconds{std::stod(outcome.text)};
    } else {
      rows_[run.cell].push_back(row_from_outcome(cells_[run.cell].cell, outcome.text));
    }
  }
  void finish(Result& result) {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const auto key = broadcast_key(cells_[i]);
      const auto& failure = failures_[i] ? failures_[i] : broadcast_failures_[key];
      if (failure) {
        result.failures.push_back({cells_[i].cell, failure->text, failure->exit_code});
        continue;
      }
      result.rows.push_back(merged(std::move(rows_[i])));
      const auto found = broadcasts_.find(key);
      if (found != broadcasts_.end()) {
        result.rows.back().iteration->broadcast = found->second;
      }
    }
  }

 private:
  const std::vector<PlannedTraining>& cells_;
  std::vector<std::vector<Row>> rows_;
  std::vector<std::optional<CellOutcome>> failures_;
  std::map<BroadcastKey, Seconds> broadcasts_;
  std::map<BroadcastKey, std::optional<CellOutcome>> broadcast_failures_;
};

PoolProgress progress_of(const std::vector<Run>& runs, const std::vector<PlannedTraining>& cells,
                         const PredictOptions& options) {
  const Fidelity fidelity = options.check ? Fidelity::simgrid : options.fidelity;
  const auto work_of = [&](const Run& run) {
    const PlannedTraining& planned = cells[run.cell];
    return expected_work(planned, fidelity) +
           (options.check ? work_of_check(planned.cell) : Seconds{0});
  };
  return progress_of(mapped(runs, work_of), options);
}

}  // namespace

Result predict_training(const Scenario& scenario, const PredictOptions& options) {
  const Topology topology{machine_of_jobs(scenario)};
  const std::vector<PlannedTraining> cells = plan_training(scenario, topology);
  const CellIdentities identities{scenario, options.fidelity};
  const SimulatedCalls calls{cells, scenario, topology, options, identities};
  const std::vector<Run> runs = runs_of(cells, *scenario.training, calls);
  const Bytes free = available_memory();
  const std::size_t at_once =
      std::min(runs.size(), static_cast<std::size_t>(std::max(1, options.jobs)));
  const auto work = [&](std::size_t i, const ReportProgress& report) -> std::string {
    const PlannedTraining& planned = cells[runs[i].cell];
    if (options.check) expect_room_for_data(planned, at_once, free);
    if (runs[i].broadcast) {
      return fmt::format("{}",
                         simulate_broadcast(planned, scenario, topology, options.fidelity).count());
    }
    expect_workers(planned);
    PredictOptions of_run = options;
    if (runs[i].repetition > 0) {
      of_run.timeline.reset();
    }
    return checked_outcome(
        find_iteration(planned, scenario, topology, of_run, runs[i].repetition, report, calls));
  };
  Result result;
  result.provenance = provenance_of(scenario, "simgrid", true);
  const CellMemory memory{options.kept,
                          [&](std::size_t i) {
                            return fmt::format(
                                "{} {} of {}", runs[i].broadcast ? "broadcast" : "iteration",
                                runs[i].repetition, key_of(cells[runs[i].cell].cell));
                          },
                          options.timeline ? nullptr : cache_of(options),
                          [&](std::size_t i) {
                            const PlannedTraining& planned = cells[runs[i].cell];
                            return runs[i].broadcast ? identities.of_broadcast(planned)
                                                     : identities.of(planned, runs[i].repetition);
                          }};
  const std::vector<CellOutcome> outcomes =
      run_cells(runs.size(), options.jobs, work, progress_of(runs, cells, options), memory);
  Gathering gathering{cells, calls};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    gathering.add(runs[i], outcomes[i]);
  }
  gathering.finish(result);
  return result;
}

}  // namespace ringcast
