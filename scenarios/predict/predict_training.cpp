#include "scenarios/predict/predict_training.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "engine/async_training.hpp"
#include "engine/error.hpp"
#include "engine/server_rounds.hpp"
#include "engine/training_cost.hpp"
#include "scenarios/json_object.hpp"
#include "scenarios/provenance.hpp"

namespace ringcast {
namespace {

/// Of the same training on one GPU, whose accumulation stays as it is.
double samples_per_s_of_one(const Training& training, const BatchChoice& batch, Bytes width) {
  const TrainingStep alone = step_of(training, batch_per_gpu(training, batch, 1), width,
                                     training.buckets.front(), true, 1);
  const Seconds time = compute_time(alone);
  const auto samples = static_cast<double>(global_batch(training, batch, 1));
  return time > Seconds{0} ? samples / time.count() : 0;
}

TrainingCell cell_of(const Scenario& scenario, const Cell& cell) {
  const Training& training = *scenario.training;
  TrainingCell all;
  all.cell = cell;
  all.model = training.model;
  all.samples = training.samples;
  all.gpu = training.gpu;
  all.fitted_on = training.fitted_on;
  all.accumulation = training.accumulation;
  all.compression = training.compression;
  all.jitter = training.noise.sigma;
  return all;
}

/// Asynchronous workers push everything at once, and overlap nothing.
struct Ways {
  std::vector<BucketRule> rules;
  std::vector<bool> overlaps;
};
Ways ways_of(const Training& training, bool asynchronous) {
  if (asynchronous) {
    return {{BucketRule{Bucketing::whole}}, {false}};
  }
  return {training.buckets, training.overlaps};
}

/// The ranks that train; of an asynchronous training not those that serve.
int workers_of(const PlannedCell& cell, bool asynchronous) {
  return asynchronous && cell.hosts.empty()
             ? cell.cell.ranks - static_cast<int>(cell.options.servers.size())
             : cell.cell.ranks;
}

void add_cells(std::vector<PlannedTraining>& all, const Scenario& scenario, PlannedCell cell,
               const BatchChoice& batch) {
  const Training& training = *scenario.training;
  const Bytes width = size_of(scenario.reduction.type);
  const bool asynchronous = cell.cell.algorithm == asynchronous_algorithm;
  if (asynchronous) {
    cell.options = with_servers(cell.options);
  }
  const int workers = std::max(1, workers_of(cell, asynchronous));
  const Ways ways = ways_of(training, asynchronous);
  for (const BucketRule& rule : ways.rules) {
    for (const bool overlap : ways.overlaps) {
      PlannedTraining planned{cell_of(scenario, cell.cell), cell.options, cell.hosts, {}, 0};
      planned.cell.scaling = batch.scaling;
      planned.cell.batch_per_gpu = batch_per_gpu(training, batch, workers);
      planned.cell.global_batch = global_batch(training, batch, workers);
      planned.cell.overlap = overlap;
      planned.cell.rule = rule;
      planned.step =
          step_of(training, planned.cell.batch_per_gpu, width, rule, overlap, cell.cell.ranks);
      planned.cell.buckets = planned.step.buckets.size();
      planned.one_gpu_samples_per_s = samples_per_s_of_one(training, batch, width);
      all.push_back(std::move(planned));
    }
  }
}

}  // namespace

std::vector<PlannedTraining> plan_training(const Scenario& scenario, const Topology& topology) {
  Scenario allreduces = scenario;
  allreduces.sizes = {scenario.training->parameters * size_of(scenario.reduction.type)};
  const std::vector<PlannedCell> cells = plan(allreduces, topology);
  std::vector<PlannedTraining> all;
  for (const BatchChoice& batch : scenario.training->batches) {
    for (const PlannedCell& cell : cells) {
      add_cells(all, scenario, cell, batch);
    }
  }
  return all;
}

namespace {

void expect_workers(const PlannedTraining& planned) {
  const Cell& cell = planned.cell.cell;
  if (cell.algorithm == asynchronous_algorithm && planned.hosts.empty() &&
      planned.options.servers.size() >= static_cast<std::size_t>(cell.ranks)) {
    throw ScenarioError{fmt::format(
        "{}: every rank is a server (expected more ranks, or servers on hosts)", cell.algorithm)};
  }
}

void expect_simulable(const std::vector<PlannedTraining>& cells) {
  constexpr double most = 1e8;  // some ten minutes
  for (const PlannedTraining& planned : cells) {
    if (const double messages = message_count(planned); messages > most) {
      throw ScenarioError{fmt::format(
          "{}: {:.2g} messages are too many to simulate (expected at most {:.0g}; take larger "
          "buckets or segments, or fewer ranks)",
          to_text(planned.cell), messages, most)};
    }
  }
}

/// One simulation: an iteration of a cell, or a broadcast of the weights.
struct Run {
  std::size_t cell;
  int repetition;
  bool broadcast = false;
};

using RanksAndRing = std::pair<int, std::string>;
RanksAndRing broadcast_key(const PlannedTraining& planned) {
  return {planned.cell.cell.ranks, planned.cell.cell.ring_order};
}

std::vector<Run> runs_of(const std::vector<PlannedTraining>& cells, const Training& training) {
  // Without jitter all repetitions are alike.
  const int repetitions = training.noise.sigma > 0 ? training.repetitions : 1;
  std::vector<Run> runs;
  std::map<RanksAndRing, bool> broadcasts;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (training.broadcast && !std::exchange(broadcasts[broadcast_key(cells[i])], true)) {
      runs.push_back({i, 0, true});
    }
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      runs.push_back({i, repetition});
    }
  }
  return runs;
}

/// The middle repetition (the earlier of two), with the band of all: by nearest rank.
TrainingRow merged(std::vector<TrainingRow> rows) {
  std::vector<TimelineSpan> timeline = std::move(rows.front().timeline);
  std::ranges::stable_sort(rows, {}, &TrainingRow::iteration);
  const auto count = static_cast<double>(rows.size());
  const auto at = [&](double part) {
    return static_cast<std::size_t>(std::max(1.0, std::ceil(part * count))) - 1;
  };
  TrainingRow row = rows[at(0.5)];
  row.iteration_low = rows[at(0.05)].iteration;
  row.iteration_high = rows[at(0.95)].iteration;
  row.repetitions = static_cast<int>(rows.size());
  row.timeline = std::move(timeline);
  return row;
}

/// Gathers what the simulations of each cell found.
class Gathering {
 public:
  explicit Gathering(const std::vector<PlannedTraining>& cells)
      : cells_{cells}, rows_(cells.size()), failures_(cells.size()) {}

  void add(const Run& run, const CellOutcome& outcome) {
    if (!outcome.succeeded) {
      failures_[run.cell] = outcome;
    } else if (run.broadcast) {
      broadcasts_[broadcast_key(cells_[run.cell])] = Seconds{std::stod(outcome.text)};
    } else {
      rows_[run.cell].push_back(training_row_of(JsonObject::parsed(outcome.text, "row")));
    }
  }
  void finish(Result& result) {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (failures_[i]) {
        result.failures.push_back(
            {cells_[i].cell.cell,
             fmt::format("{}: {}", to_text(cells_[i].cell), failures_[i]->text),
             failures_[i]->exit_code});
        continue;
      }
      result.training.push_back(merged(std::move(rows_[i])));
      const auto found = broadcasts_.find(broadcast_key(cells_[i]));
      if (found != broadcasts_.end()) {
        result.training.back().broadcast = found->second;
      }
    }
  }

 private:
  const std::vector<PlannedTraining>& cells_;
  std::vector<std::vector<TrainingRow>> rows_;
  std::vector<std::optional<CellOutcome>> failures_;
  std::map<RanksAndRing, Seconds> broadcasts_;
};

PoolProgress progress_of(const std::vector<Run>& runs, const std::vector<PlannedTraining>& cells,
                         const TrainingOptions& options) {
  if (!options.progress) {
    return {};
  }
  std::vector<double> weights;
  weights.reserve(runs.size());
  for (const Run& run : runs) {
    weights.push_back(1 + message_count(cells[run.cell]));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  return [weights, sum, report = options.progress](const std::vector<double>& fractions) {
    const double done =
        std::inner_product(weights.begin(), weights.end(), fractions.begin(), 0.0) / sum;
    const auto ended = std::ranges::count(fractions, 1.0);
    report(done, static_cast<std::size_t>(ended), fractions.size());
  };
}

}  // namespace

Result predict_training(const Scenario& scenario, const TrainingOptions& options) {
  expect(scenario.training.has_value(), "{} trains nothing", scenario.name);
  const Topology topology{build_cluster(scenario.cluster)};
  const std::vector<PlannedTraining> cells = plan_training(scenario, topology);
  expect_simulable(cells);
  const std::vector<Run> runs = runs_of(cells, *scenario.training);
  const auto work = [&](std::size_t i, const ReportProgress& report) -> std::string {
    const PlannedTraining& planned = cells[runs[i].cell];
    if (runs[i].broadcast) {
      return fmt::format("{}", simulate_broadcast(planned, scenario, topology).count());
    }
    expect_workers(planned);
    TrainingOptions of_run = options;
    if (runs[i].repetition > 0) {
      of_run.timeline.reset();
    }
    return to_json(
        simulate_iteration(planned, scenario, topology, of_run, runs[i].repetition, report));
  };
  Result result;
  result.provenance = provenance_of(scenario, "simgrid", true);
  const std::vector<CellOutcome> outcomes =
      run_cells(runs.size(), options.jobs, work, progress_of(runs, cells, options));
  Gathering gathering{cells};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    gathering.add(runs[i], outcomes[i]);
  }
  gathering.finish(result);
  return result;
}

}  // namespace ringcast
