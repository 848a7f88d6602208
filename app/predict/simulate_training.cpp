#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "app/predict/async_window.hpp"
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

/// One simulation of one or several iterations of all ranks.
class IterationRun {
 public:
  /// `rounds`: of each worker, if these are asynchronous.
  IterationRun(const PlannedTraining& planned, const Scenario& scenario,
               const CachedMachine& machine, const PredictOptions& options, int repetition,
               const ReportProgress& report, std::vector<int> rounds = {})
      : planned_{planned},
        noise_{scenario.training->noise},
        repetition_{repetition},
        check_{options.check},
        rounds_{std::move(rounds)},
        messages_{message_count(planned, rounds_)},
        job_{machine.topology(),     planned.cell.ranks,           machine.transport(),
             planned.cell.reduction, sim_options(options, report), options.fidelity},
        times_(static_cast<std::size_t>(job_.paths().ranks())) {
    job_.on_recurrence([report](double messages) {
      report({0, messages * work_per_ring_message});
    });
  }

  void run() {
    if (is_asynchronous(planned_)) {
      expect_simulable(messages_);
      const auto round = make_push_and_pull(planned_.options.servers);
      job_.fold([&](RankContext& self) { static_cast<void>(rounds_of(*round, self)); });
      const auto call = job_.with_call_costs(*round);
      job_.run([&](RankContext& self) { train_without_barrier(*call, self); });
      copy_times_of_representatives();
      return;
    }
    if (run_by_recurrence()) return;
    expect_simulable(messages_);
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
        planned_.step.weights_before_forward, messages_ > seconds ? hardly : Limits::exact);
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
  [[nodiscard]] SimOptions sim_options(const PredictOptions& options,
                                       const ReportProgress& report) const {
    SimOptions sim;
    sim.with_data = options.check;
    sim.hosts = planned_.hosts;
    sim.program_is_a_call = false;
    sim.delay_seed = options.delay_seed;
    const double expected = std::max(1.0, messages_);
    sim.traffic.progress = [report, expected](std::uint64_t delivered) {
      report({std::min(1.0, static_cast<double>(delivered) / expected)});
    };
    sim.traffic.recorded = [report](double part) { report({.recorded = part}); };
    return sim;
  }

  [[nodiscard]] std::size_t index_of_representative(std::size_t rank) const {
    const Rank stands_for_it = job_.representative(Rank{static_cast<int>(rank)});
    return static_cast<std::size_t>(index_of(stands_for_it));
  }

  StepTimes iterated(const BucketCollectives& collectives, RankContext& self) const {
    return TrainingRank{planned_.step, collectives, self}.iterate(
        slowness_in_repetition(self.network.rank()));
  }

  [[nodiscard]] double slowness_in_repetition(Rank rank) const {
    return slowness(noise_, rank, static_cast<std::uint64_t>(repetition_));
  }

  void train(const BucketCollectives& collectives, RankContext& self) {
    const Rank me = self.network.rank();
    TrainingRank rank{planned_.step, collectives, self};
    if (check_) {
      rank.fill();
    }
    const StepTimes times = rank.iterate(slowness_in_repetition(me));
    if (check_) {
      job_.close_report();
      rank.verify();
    }
    expect_possible(times, job_.paths().profile().compute_competition > 0);
    times_[static_cast<std::size_t>(index_of(me))] = times;
  }

  StepTimes rounds_of(const Collective& push_and_pull, RankContext& self) const {
    const Rank me = self.network.rank();
    // The rounds of a repetition have numbers of their own, however many there are.
    constexpr int bits = 32;
    const std::uint64_t first = static_cast<std::uint64_t>(repetition_) << bits;
    return train_asynchronously(
        planned_.step, planned_.options.servers, push_and_pull,
        [&](Rank worker) { return rounds_.at(static_cast<std::size_t>(index_of(worker))); },
        [&](int round) { return slowness(noise_, me, first + static_cast<std::uint64_t>(round)); },
        self);
  }

  void train_without_barrier(const Collective& push_and_pull, RankContext& self) {
    StepTimes& times = times_[static_cast<std::size_t>(index_of(self.network.rank()))];
    times = rounds_of(push_and_pull, self);
    const bool is_worker = !times.allreduces.empty();
    if (is_worker) expect_possible(times, false);
  }

  const PlannedTraining& planned_;
  const ComputationNoise& noise_;
  int repetition_;
  bool check_;
  std::vector<int> rounds_;
  double messages_;
  SimulatedJob job_;
  std::vector<StepTimes> times_;  // of each rank
  double error_ = 0;
};

/// A run in which every worker makes so many rounds that they fill the window of the slowest.
std::unique_ptr<IterationRun> run_without_barrier(const PlannedTraining& planned,
                                                  const Scenario& scenario,
                                                  const CachedMachine& machine,
                                                  const PredictOptions& options, int repetition,
                                                  const ReportProgress& report) {
  std::vector<int> rounds(static_cast<std::size_t>(planned.cell.ranks), first_guess_of_rounds);
  const auto run_with = [&](const PredictOptions& given) {
    auto run = std::make_unique<IterationRun>(planned, scenario, machine, given, repetition, report,
                                              rounds);
    run->run();
    return run;
  };
  // SimGrid runs once per process: the flows of the fluid backend find the rounds.
  PredictOptions fluid = options;
  fluid.fidelity = Fidelity::cheapest;
  fluid.check = false;
  std::unique_ptr<IterationRun> run = run_with(fluid);
  while (fill_window(rounds, run->times())) {
    run = run_with(fluid);
  }
  const bool needs_simgrid = options.check || options.fidelity == Fidelity::simgrid;
  return needs_simgrid ? run_with(options) : std::move(run);
}

Row row_of_window(const PlannedTraining& planned, std::span<const StepTimes> times) {
  Row row = row_without_times(planned);
  const MeanRound round = mean_round(times);
  row.time = row.time_min = row.time_max = round.time;
  row.iteration->compute = round.compute;
  row.iteration->allreduce = round.exchange;
  return row;
}

/// Adds what does not depend on how times are averaged.
Row with_findings(Row row, const IterationRun& run) {
  const SimReport& report = run.job().report();
  const TransferPaths& paths = run.job().paths();
  row.found_by = run.job().found_by();
  row.time_error_bound = run.error();
  row.busiest = link_loads(carried_by_link(report, paths), report.time, paths);
  return row;
}

/// Simulates an iteration with delays, too, if its time may depend on them. With jitter, the
/// repetitions show a wider range.
void find_range(Row& row, const PlannedTraining& planned, const Scenario& scenario,
                const CachedMachine& machine, const SimulatedJob& job) {
  if (scenario.training->noise.sigma > 0 || job.is_by_recurrence() ||
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
  if (is_asynchronous(planned)) {
    const auto run =
        run_without_barrier(planned, scenario, machine, options, repetition, report_progress);
    return with_findings(row_of_window(planned, run->times()), *run);
  }
  IterationRun run{planned, scenario, machine, options, repetition, report_progress};
  run.run();
  Row row = row_of_iteration(planned, *scenario.training, run.times(), options.timeline);
  row.verified = options.check;
  expect_above(synchronous_iteration_bound(planned, scenario.training->noise, machine.fastest(),
                                           run.job().paths().places()),
               row.time);
  find_range(row, planned, scenario, machine, run.job());
  return with_findings(std::move(row), run);
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
