#include "app/predict/predict_each.hpp"

#include <algorithm>
#include <numeric>

#include "app/common/mapped.hpp"
#include "app/predict/cell_identity.hpp"
#include "app/predict/machine_of_scenario.hpp"
#include "app/predict/tuned_cells.hpp"
#include "app/report/json_text.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

Topologies topologies_of(std::span<const Scenario> scenarios) {
  Topologies topologies;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Scenario& scenario = scenarios[i];
    const auto is_like = [&scenario](const Scenario& other) {
      return scenario.cluster == other.cluster &&
             scenario.transport.socket_copy_rate == other.transport.socket_copy_rate;
    };
    topologies.push_back(i > 0 && is_like(scenarios[i - 1])
                             ? topologies.back()
                             : std::make_shared<const Topology>(whole_machine(scenario)));
  }
  return topologies;
}

std::vector<Prediction> predict_each(const std::vector<Scenario>& scenarios,
                                     const Topologies& topologies, const PredictOptions& given) {
  PredictOptions options = given;
  options.with_bounds = false;
  std::vector<PlannedCell> cells;
  std::vector<CellIdentities> identities;  // of each scenario
  std::vector<std::size_t> of;             // the scenario of each cell
  std::optional<TunedJobs> jobs;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    identities.emplace_back(scenarios[i], options.fidelity, options.with_bounds);
    if (!jobs || !jobs->apply_to(scenarios[i], *topologies[i])) {
      jobs.emplace(scenarios[i], *topologies[i]);
    }
    for (PlannedCell& planned : plan(scenarios[i], *topologies[i], *jobs)) {
      expect(planned.is_alternative || of.empty() || of.back() != i, "{} has several cells",
             scenarios[i].name);
      cells.push_back(std::move(planned));
      of.push_back(i);
    }
  }

  const std::vector<Seconds> works =
      mapped(cells, [&](const PlannedCell& planned) { return expected_work(planned, options); });
  // The largest last, where run_cells() starts.
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t cell) { return works[cell]; });
  const std::vector<Seconds> in_order =
      mapped(order, [&](std::size_t cell) { return works[cell]; });
  const auto work = [&](std::size_t i, const ReportProgress& report) {
    const std::size_t cell = order[i];
    return checked_outcome(
        simulate(cells[cell], scenarios[of[cell]], *topologies[of[cell]], options, report));
  };
  const CellMemory memory{
      options.kept,
      [&](std::size_t i) {
        const std::size_t cell = order[i];
        return fmt::format("{} of {}: {}", of[cell], scenarios[of[cell]].name,
                           key_of(cells[cell].cell));
      },
      cache_of(options),
      [&](std::size_t i) { return identities[of[order[i]]].of(cells[order[i]]); }};
  std::vector<CellOutcome> found =
      run_cells(cells.size(), options.jobs, work, progress_of(in_order, options), memory,
                options.fidelity == Fidelity::simgrid ? CellsOfProcess::one : CellsOfProcess::any);
  std::vector<CellOutcome> outcomes(cells.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    outcomes[order[i]] = std::move(found[i]);
  }
  return best_predictions(cells, outcomes);
}

}  // namespace ringcast
