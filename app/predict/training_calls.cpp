#include "app/predict/training_calls.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/common/mapped.hpp"
#include "app/predict/iteration_bound.hpp"
#include "app/predict/iteration_row.hpp"
#include "app/predict/link_loads.hpp"
#include "app/predict/training_messages.hpp"
#include "app/predict/tuned_cells.hpp"
#include "app/report/json_text.hpp"
#include "engine/numbers/error.hpp"
#include "engine/training/training_cost.hpp"
#include "sim/recurrence/call_clocks.hpp"

namespace ringcast {
namespace {

/// The number of calls of each size in an iteration; halves count as 0.5.
std::map<std::uint64_t, double> calls_by_elements(const PlannedTraining& planned) {
  std::map<std::uint64_t, double> calls;
  for (const std::uint64_t elements : call_sizes(planned)) {
    calls[elements] += planned.step.weights_before_forward ? 0.5 : 1;
  }
  return calls;
}

/// The call that sends the most bytes of an iteration.
const PlannedCell& main_call(const PlannedTraining& planned) {
  const std::map<std::uint64_t, double> calls = calls_by_elements(planned);
  return *std::ranges::max_element(planned.calls, {}, [&](const PlannedCell& call) {
    return calls.at(element_count(call.cell)) * static_cast<double>(call.cell.size.count());
  });
}

void take_algorithm(PlannedTraining& planned) {
  const Cell& main = main_call(planned).cell;
  planned.cell.algorithm = main.algorithm;
  planned.cell.protocol = main.protocol;
  planned.cell.channels = main.channels;
  // If any call uses in-switch sums, the lower bound must allow for them.
  for (const PlannedCell& call : planned.calls) {
    if (!call.hosts.empty()) planned.hosts = call.hosts;
  }
}

/// The rows of an iteration's calls, and the number of times that each is called.
struct CalledRow {
  Row row;
  double times = 1;
};

std::map<std::uint64_t, CalledRow> called_rows(const PlannedTraining& planned,
                                               const FindCall& find) {
  const std::map<std::uint64_t, double> calls = calls_by_elements(planned);
  std::map<std::uint64_t, CalledRow> rows;
  for (const PlannedCell& call : planned.calls) {
    const std::uint64_t elements = element_count(call.cell);
    rows.emplace(elements, CalledRow{find(call), calls.at(elements)});
  }
  return rows;
}

/// The sums over all calls of the loads of links, by the busiest links of each.
std::vector<LinkLoad> loads_of(const std::map<std::uint64_t, CalledRow>& rows, Seconds time) {
  std::vector<LinkLoad> all;
  std::map<std::string, std::size_t> places;
  for (const auto& [elements, called] : rows) {
    for (const LinkLoad& load : called.row.busiest) {
      const auto [place, is_new] = places.emplace(load.name, all.size());
      if (is_new) all.emplace_back(load).carried = Bytes{0};
      const double carried = called.times * static_cast<double>(load.carried.count());
      all[place->second].carried += Bytes{static_cast<std::uint64_t>(carried)};
    }
  }
  for (LinkLoad& load : all) {
    load.utilisation = std::min(1.0, load.carried / load.bandwidth / time);
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &LinkLoad::utilisation);
  all.resize(std::min(all.size(), most_link_loads));
  return all;
}

/// Nothing if it is not known for some call.
std::optional<double> error_of(const std::map<std::uint64_t, CalledRow>& rows) {
  double largest = 0;
  for (const auto& [elements, called] : rows) {
    if (!called.row.time_error_bound) return std::nullopt;
    largest = std::max(largest, *called.row.time_error_bound);
  }
  return largest;
}

/// One for all ranks, or one for each if noise makes them differ.
std::vector<Rank> ranks_that_differ(int ranks, const ComputationNoise& noise) {
  std::vector<Rank> all{Rank{0}};
  const bool differ = noise.sigma > 0 || !noise.stragglers.empty();
  for (int rank = 1; differ && rank < ranks; ++rank) {
    all.push_back(Rank{rank});
  }
  return all;
}

Row iterate_between_calls(const PlannedTraining& planned, const Scenario& scenario,
                          const Topology& topology, const PredictOptions& options, int repetition,
                          const FindCall& find) {
  const ComputationNoise& noise = scenario.training->noise;
  const std::map<std::uint64_t, CalledRow> rows = called_rows(planned, find);
  const auto advance = [&](const CollectiveCall& call, std::vector<double>& clocks) {
    const double part = call.phases == RingPhases::both ? 1 : 0.5;
    const double end = std::ranges::max(clocks) + part * rows.at(call.elements).row.time.count();
    std::ranges::fill(clocks, end);
  };
  const ClockedJob job{ranks_that_differ(planned.cell.ranks, noise), planned.cell.ranks,
                       planned.cell.reduction, scenario.transport, advance};
  std::vector<StepTimes> times(job.ranks.size());
  const auto program = [&](const BucketCollectives& collectives, RankContext& self) {
    const Rank me = self.network.rank();
    StepTimes& mine = times[static_cast<std::size_t>(index_of(me))];
    mine = TrainingRank{planned.step, collectives, self}.iterate(
        slowness(noise, me, static_cast<std::uint64_t>(repetition)));
    expect_possible(mine, false);
  };
  static_cast<void>(run_between_calls(job, program, planned.step.weights_before_forward));

  Row row = row_of_iteration(planned, *scenario.training, times, options.timeline);
  row.verified = options.check;
  row.found_by = rows.at(element_count(main_call(planned).cell)).row.found_by;
  row.time_error_bound = error_of(rows);
  row.busiest = loads_of(rows, row.time);
  expect_above({iteration_bound(planned, scenario, topology), "links"}, row.time);
  return row;
}

}  // namespace

void plan_calls(PlannedTraining& planned, const Scenario& scenario, const Topology& topology,
                TunedJobs& jobs) {
  const Bytes width = size_of(planned.cell.reduction.type);
  const bool is_open = planned.cell.algorithm == auto_algorithm;
  planned.cell.is_chosen = is_open;
  // Trees have no halves.
  if (is_open && planned.step.weights_before_forward) planned.cell.algorithm = "ring";
  const bool competes = scenario.transport.compute_competition > 0;
  if (planned.refusal || is_asynchronous(planned) || competes) {
    if (is_open) planned.cell.algorithm = "ring";
    return;
  }
  try {
    for (const auto& [elements, times] : calls_by_elements(planned)) {
      const PlannedCell& allreduce = planned;
      PlannedCell call = allreduce;
      call.cell.training.reset();
      call.cell.size = elements * width;
      if (!choose_as_nccl(call, scenario, topology, jobs)) {
        planned.cell.algorithm = call.cell.algorithm;
        return;
      }
      planned.calls.push_back(std::move(call));
    }
  } catch (const ScenarioError& refusal) {
    planned.refusal = refusal.what();
    planned.calls.clear();
    return;
  }
  take_algorithm(planned);
}

Row find_iteration(const PlannedTraining& planned, const Scenario& scenario,
                   const Topology& topology, const PredictOptions& options, int repetition,
                   const ReportProgress& report, const FindCall& find) {
  return planned.calls.empty()
             ? simulate_iteration(planned, scenario, topology, options, repetition, report)
             : iterate_between_calls(planned, scenario, topology, options, repetition, find);
}

SimulatedCalls::SimulatedCalls(const std::vector<PlannedTraining>& cells, const Scenario& scenario,
                               const Topology& topology, const PredictOptions& options,
                               const CellIdentities& identities)
    : identities_{&identities} {
  std::vector<const PlannedCell*> calls;
  std::vector<std::string> names;
  for (const PlannedTraining& planned : cells) {
    for (const PlannedCell& call : planned.calls) {
      const auto [name, is_new] = outcomes_.emplace(identities.of(call), CellOutcome{});
      if (!is_new) continue;
      calls.push_back(&call);
      names.push_back(name->first);
    }
  }
  const CellMemory memory{options.kept, [&](std::size_t i) { return "all-reduce " + names[i]; },
                          cache_of(options), [&](std::size_t i) { return names[i]; }};
  const auto work = [&](std::size_t i, const ReportProgress& report) {
    return checked_outcome(simulate(*calls[i], scenario, topology, options, report));
  };
  std::vector<Seconds> works =
      mapped(calls, [&](const PlannedCell* call) { return expected_work(*call, options); });
  const std::vector<CellOutcome> found =
      run_cells(calls.size(), options.jobs, work, progress_of(std::move(works), options), memory);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    outcomes_[names[i]] = found[i];
  }
}

Row SimulatedCalls::operator()(const PlannedCell& call) const {
  return row_from_outcome(call.cell, outcomes_.at(identities_->of(call)).text);
}

std::optional<CellOutcome> SimulatedCalls::failure_of(const PlannedTraining& planned) const {
  for (const PlannedCell& call : planned.calls) {
    const CellOutcome& outcome = outcomes_.at(identities_->of(call));
    if (!outcome.succeeded()) return outcome;
  }
  return std::nullopt;
}

}  // namespace ringcast
