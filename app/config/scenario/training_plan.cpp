#include "app/config/scenario/training_plan.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "app/common/mapped.hpp"
#include "engine/collectives/algorithms.hpp"
#include "engine/collectives/server_rounds.hpp"
#include "engine/numbers/error.hpp"
#include "engine/training/async_training.hpp"
#include "engine/training/training_cost.hpp"

namespace ringcast {
namespace {

/// The rate of the same training on one GPU, with the same accumulation.
double samples_per_s_of_one(const Training& training, const BatchChoice& batch, Bytes width) {
  const TrainingStep alone = step_of(training, batch_per_gpu(training, batch, 1), width,
                                     training.buckets.front(), true, 1);
  const Seconds time = compute_time(alone);
  const auto samples = static_cast<double>(global_batch(training, batch, 1));
  return time > Seconds{0} ? samples / time.count() : 0;
}

/// All stragglers of a file have the same slowdown.
std::string to_text(const std::vector<Straggler>& stragglers) {
  if (stragglers.empty()) return "";
  const std::vector<int> ranks =
      mapped(stragglers, [](const Straggler& each) { return index_of(each.rank); });
  const bool one = ranks.size() == 1;
  return fmt::format("{} {} {} {} times as long", one ? "rank" : "ranks", fmt::join(ranks, ", "),
                     one ? "takes" : "take", stragglers.front().slowdown);
}

TrainingCell training_cell_of(const Training& training) {
  TrainingCell all;
  all.model = training.model;
  all.samples = training.samples;
  all.gpu = training.gpu;
  all.fitted_on = training.fitted_on;
  all.accumulation = training.accumulation;
  all.compression = training.compression;
  all.jitter = training.noise.sigma;
  all.stragglers = to_text(training.noise.stragglers);
  return all;
}

/// The sweep of one cell. Asynchronous workers push all gradients at once and overlap nothing.
struct BucketSweep {
  std::vector<BucketRule> rules;
  std::vector<bool> overlaps;
};
BucketSweep bucket_sweep(const Training& training, bool asynchronous) {
  if (asynchronous) {
    return {{BucketRule{Bucketing::whole}}, {false}};
  }
  return {training.buckets, training.overlaps};
}

/// The ranks that train: in asynchronous training all but the servers.
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
  if (const auto problem = batch_problem(training, batch, workers)) {
    cell.refusal = fmt::format("training.global_batch: {} (expected {})", *problem, expected_batch);
  }
  const double samples_per_s = samples_per_s_of_one(training, batch, width);
  const BucketSweep sweep = bucket_sweep(training, asynchronous);
  for (const BucketRule& rule : sweep.rules) {
    for (const bool overlap : sweep.overlaps) {
      TrainingCell trained = training_cell_of(training);
      trained.scaling = batch.scaling;
      trained.batch_per_gpu = batch_per_gpu(training, batch, workers);
      trained.global_batch = global_batch(training, batch, workers);
      trained.overlap = overlap;
      if (overlap) trained.launch_ahead = training.launch_ahead;
      trained.weights_before_forward = training.weights_before_forward;
      trained.rule = rule;
      TrainingStep step =
          step_of(training, trained.batch_per_gpu, width, rule, overlap, cell.cell.ranks);
      trained.buckets = step.buckets.size();
      cell.cell.training = std::move(trained);
      all.push_back({cell, std::move(step), samples_per_s});
      if (cell.refusal) return;  // one message for all buckets and overlaps
    }
  }
}

}  // namespace

std::vector<PlannedTraining> plan_training(const Scenario& scenario,
                                           const std::vector<PlannedCell>& cells) {
  expect(scenario.training.has_value(), "{} trains nothing", scenario.name);
  std::vector<PlannedTraining> all;
  for (const BatchChoice& batch : scenario.training->batches) {
    for (const PlannedCell& cell : cells) {
      add_cells(all, scenario, cell, batch);
    }
  }
  return all;
}

AllreduceHalves make_collectives(const PlannedTraining& planned) {
  const std::string& algorithm = planned.cell.algorithm;
  return planned.step.weights_before_forward
             ? make_allreduce_halves(algorithm, planned.options)
             : AllreduceHalves{make_allreduce(algorithm, planned.options), nullptr};
}

bool is_asynchronous(const PlannedTraining& planned) {
  return planned.cell.algorithm == asynchronous_algorithm;
}

std::unique_ptr<Collective> broadcast_of(const PlannedTraining& planned) {
  const Cell& cell = planned.cell;
  CollectiveOptions options = planned.options;
  if (!options.segment_size) {
    const std::uint64_t most_segments = 256 * options.channels.size();
    const std::uint64_t width = size_of(cell.reduction.type).count();
    const std::uint64_t segment = cell.size.count() / most_segments / width * width;
    options.segment_size = std::max(1_MiB, Bytes{segment + width});
  }
  return make_ring_broadcast(std::move(options), broadcast_root(planned));
}

Rank broadcast_root(const PlannedTraining& planned) {
  return planned.options.channels.front().rank_at(0);
}

BroadcastKey broadcast_key(const PlannedTraining& planned) {
  return {planned.cell.ranks, planned.cell.ring_order, planned.options.channels.size()};
}

Rank timeline_rank(int rank, const Scenario& scenario) {
  const int fewest = *std::ranges::min_element(scenario.ranks);
  if (rank < 0 || rank >= fewest) {
    throw ScenarioError{fmt::format("--timeline: no rank {} of {} (expected 0 to {}; see --ranks)",
                                    rank, fewest, fewest - 1)};
  }
  return Rank{rank};
}

}  // namespace ringcast
