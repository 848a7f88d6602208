#include <algorithm>

#include <fmt/format.h>

#include "app/predict/cached_machine.hpp"
#include "app/predict/iteration_bound.hpp"
#include "app/predict/iteration_row.hpp"
#include "app/predict/link_loads.hpp"
#include "app/predict/predict_training.hpp"
#include "app/predict/time_range.hpp"
#include "app/predict/training_messages.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/error.hpp"
#include "engine/training/async_training.hpp"
#include "engine/training/training_cost.hpp"
#include "sim/job/simulated_job.hpp"
#include "sim/model/link_load.hpp"

namespace ringcast {
namespace {

bool serves_only(const PlannedTraining& planned, Rank rank) {
  const std::vector<Rank>& servers = planned.options.servers;
  return index_of(rank) >= planned.cell.ranks ||
         (is_asynchronous(planned) && std::ranges::find(servers, rank) != servers.end());
}

/// One simulation of one or several iterations of all ranks.
class IterationRun {
 public:
  IterationRun(const PlannedTraining& planned, const Scenario& scenario,
               const CachedMachine& machine, const PredictOptions& options, int repetition,
               const ReportProgress& report)
      : planned_{planned},
        noise_{scenario.training->noise},
        repetition_{repetition},
        check_{options.check},
        job_{machine.topology(),
             planned.cell.ranks,
             machine.transport(),
             planned.cell.reduction,
             sim_options(planned, options, report),
             options.fidelity},
        times_(static_cast<std::size_t>(job_.paths().ranks())) {
    job_.on_recurrence([report](double messages) {
      report({0, messages * work_per_ring_message});
    });
  }

  void run() {
    if (is_asynchronous(planned_)) {
      expect_simulable(planned_);
      const auto round = make_push_and_pull(planned_.options.servers);
      job_.fold([&](RankContext& self) { static_cast<void>(rounds_of(*round, self)); });
      const auto call = job_.with_call_costs(*round);
      job_.run([&](RankContext& self) { train_without_barrier(*call, self); });
      copy_times_of_representatives();
      return;
    }
    if (run_by_recurrence()) return;
    expect_simulable(planned_);
    const AllreduceHalves halves = make_collectives(planned_);
    job_.fold([&](RankContext& self) {
      static_cast<void>(iterated({halves.reduce.get(), halves.gather.get()}, self));
    });
    const auto reduce = job_.with_call_costs(
        *halves.reduce, halves.gather ? CallPart::first_half : CallPart::whole);
    const auto gather =
        halves.gather ? job_.with_call_costs(*halves.gather, CallPart::second_half) : nullptr;
    job_.run([&](RankContext& self) { train({reduce.get(), gather.get()}, self); });
    copy_times_of_representatives();
  }

  /// The relative error by which the time may be too long.
  [[nodiscard]] double error() const { return error_; }

  [[nodiscard]] const SimulatedJob& job() const { return job_; }
  [[nodiscard]] const std::vector<StepTimes>& times() const { return times_; }

 private:
  /// Whether recurrences compute the iteration: exactly or, if a simulation would take long, with a
  /// very small error.
  bool run_by_recurrence() {
    constexpr double seconds = 1e7;  // messages
    constexpr double hardly = 1e-3;
    using Limits = SimulatedJob::RecurrenceLimits;
    if (job_.is_simgrid() || !has_plain_rings(planned_)) return false;
    const RingCalls calls{planned_.options.channels, planned_.cell.reduction, call_sizes(planned_),
                          noise_.sigma == 0 && noise_.stragglers.empty()};
    const auto error = job_.run_by_recurrence(
        calls,
        [this](const BucketCollectives& collectives, RankContext& self) {
          train(collectives, self);
        },
        planned_.step.weights_before_forward,
        message_count(planned_) > seconds ? hardly : Limits::exact);
    if (!error) return false;
    error_ = *error;
    copy_times_of_representatives();
    return true;
  }
  void copy_times_of_representatives() {
    for (std::size_t rank = 0; rank < times_.size(); ++rank) {
      times_[rank] = times_[index_of_representative(rank)];
    }
  }
  static SimOptions sim_options(const PlannedTraining& planned, const PredictOptions& options,
                                const ReportProgress& report) {
    SimOptions sim;
    sim.with_data = options.check;
    sim.hosts = planned.hosts;
    sim.program_is_a_call = false;
    sim.delay_seed = options.delay_seed;
    const double expected = std::max(1.0, message_count(planned));
    sim.traffic.progress = [report, expected](std::uint64_t delivered) {
      report({std::min(1.0, static_cast<double>(delivered) / expected)});
    };
    sim.traffic.recorded = [report](double part) { report({.recorded = part}); };
    return sim;
  }

  [[nodiscard]] double slowness_of(Rank rank, int iteration) const {
    return slowness(noise_, rank, static_cast<std::uint64_t>(iteration));
  }

  [[nodiscard]] std::size_t index_of_representative(std::size_t rank) const {
    const Rank stands_for_it = job_.representative(Rank{static_cast<int>(rank)});
    return static_cast<std::size_t>(index_of(stands_for_it));
  }

  StepTimes iterated(const BucketCollectives& collectives, RankContext& self) const {
    return TrainingRank{planned_.step, collectives, self}.iterate(
        slowness_of(self.network.rank(), repetition_));
  }

  void train(const BucketCollectives& collectives, RankContext& self) {
    const Rank me = self.network.rank();
    TrainingRank rank{planned_.step, collectives, self};
    if (check_) {
      rank.fill();
    }
    const StepTimes times = rank.iterate(slowness_of(me, repetition_));
    if (check_) {
      job_.close_report();
      rank.verify();
    }
    expect_possible(times, job_.paths().profile().compute_competition > 0);
    times_[static_cast<std::size_t>(index_of(me))] = times;
  }

  StepTimes rounds_of(const Collective& push_and_pull, RankContext& self) const {
    const auto slowness_in = [&](int round) {
      return slowness_of(self.network.rank(), repetition_ * async_rounds + round);
    };
    return train_asynchronously(planned_.step, planned_.options.servers, push_and_pull,
                                async_rounds, slowness_in, self);
  }

  void train_without_barrier(const Collective& push_and_pull, RankContext& self) {
    const Rank me = self.network.rank();
    StepTimes& times = times_[static_cast<std::size_t>(index_of(me))];
    times = rounds_of(push_and_pull, self);
    if (!serves_only(planned_, me)) {
      expect_possible(times, false);
    }
  }

  const PlannedTraining& planned_;
  const ComputationNoise& noise_;
  int repetition_;
  bool check_;
  SimulatedJob job_;
  std::vector<StepTimes> times_;  // of each rank
  double error_ = 0;
};

/// The mean over the workers of the mean time of their rounds.
void set_mean_times(Row& row, const PlannedTraining& planned, const std::vector<StepTimes>& times) {
  int workers = 0;
  double rounds_per_s = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (serves_only(planned, Rank{static_cast<int>(i)})) continue;
    ++workers;
    rounds_per_s += async_rounds / times[i].whole.length().count();
    row.iteration->compute += times[i].compute;
    row.iteration->allreduce += times[i].in_allreduces();
  }
  // All samples of an iteration at the sum of the workers' rates.
  row.time = row.time_min = row.time_max = Seconds{workers / rounds_per_s};
  row.iteration->compute /= workers * async_rounds;
  row.iteration->allreduce /= workers * async_rounds;
}

/// Simulates an iteration with delays, too, if its time may depend on them. With jitter, the
/// repetitions show a wider range.
void find_range(Row& row, const PlannedTraining& planned, const Scenario& scenario,
                const CachedMachine& machine, const SimulatedJob& job) {
  if (scenario.training->noise.sigma > 0 || is_asynchronous(planned) || job.is_by_recurrence() ||
      !may_have_range(message_count(planned), job.report(), job.paths())) {
    return;
  }
  std::vector<Seconds> delayed;
  for (int seed = 1; seed <= delayed_simulations; ++seed) {
    PredictOptions options;
    options.delay_seed = static_cast<std::uint64_t>(seed);
    IterationRun run{planned, scenario, machine, options, 0, [](const CellProgress&) {}};
    run.run();
    delayed.push_back(
        row_of_iteration(planned, *scenario.training, run.times(), std::nullopt).time);
  }
  set_range(row, delayed);
}

}  // namespace

Row simulate_iteration(const PlannedTraining& planned, const Scenario& scenario,
                       const Topology& any_size, const PredictOptions& options, int repetition,
                       const ReportProgress& report_progress) {
  expect_runnable(planned, scenario);
  const CachedMachine machine{any_size, scenario.transport.of_algorithm(planned.cell.algorithm),
                              planned.cell.ranks, working_set(planned)};
  IterationRun run{planned, scenario, machine, options, repetition, report_progress};
  run.run();
  const SimReport& report = run.job().report();
  Row row;
  if (is_asynchronous(planned)) {
    row = row_without_times(planned);
    set_mean_times(row, planned, run.times());
  } else {
    row = row_of_iteration(planned, *scenario.training, run.times(), options.timeline);
    row.verified = options.check;
    expect_above(synchronous_iteration_bound(planned, scenario.training->noise, machine.fastest(),
                                             run.job().paths().places()),
                 row.time);
    find_range(row, planned, scenario, machine, run.job());
  }
  row.found_by = run.job().found_by();
  row.time_error_bound = run.error();
  const TransferPaths& paths = run.job().paths();
  row.busiest = link_loads(carried_by_link(report, paths), report.time, paths);
  return row;
}

Seconds simulate_broadcast(const PlannedTraining& planned, const Scenario& scenario,
                           const Topology& any_size, Fidelity fidelity) {
  const Cell& cell = planned.cell;
  const CachedMachine machine{any_size, scenario.transport.of_algorithm("ring"), cell.ranks,
                              cell.size};
  SimOptions options;
  options.program_is_a_call = false;
  SimulatedJob job{machine.topology(), cell.ranks, machine.transport(),
                   cell.reduction,     options,    fidelity};
  const auto run = [&](const Collective& broadcast, RankContext& self) {
    broadcast.run({self.memory.allocate(cell.size), element_count(cell)}, self);
  };
  const std::unique_ptr<Collective> broadcast = broadcast_of(planned);
  job.fold([&](RankContext& self) { run(*broadcast, self); });
  // If whole buffers are copied, the root's is copied to the host before, the others' to the device
  // after the broadcast.
  const auto of_root = job.with_call_costs(*broadcast, CallPart::first_half);
  const auto of_others = job.with_call_costs(*broadcast, CallPart::second_half);
  job.run([&](RankContext& self) {
    run(self.network.rank() == broadcast_root(planned) ? *of_root : *of_others, self);
  });
  return job.report().time;
}

}  // namespace ringcast
