#include "app/predict/predict_each.hpp"

#include "app/predict/cell_identity.hpp"
#include "app/report/json_text.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

std::vector<std::shared_ptr<const Topology>> topologies_of(const std::vector<Scenario>& scenarios) {
  std::vector<std::shared_ptr<const Topology>> topologies;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const bool is_same = i > 0 && scenarios[i].cluster == scenarios[i - 1].cluster;
    topologies.push_back(
        is_same ? topologies.back()
                : std::make_shared<const Topology>(build_cluster(scenarios[i].cluster)));
  }
  return topologies;
}

std::vector<Prediction> predict_each(const std::vector<Scenario>& scenarios,
                                     const PredictOptions& options) {
  const std::vector<std::shared_ptr<const Topology>> topologies = topologies_of(scenarios);
  std::vector<PlannedCell> cells;
  std::vector<CellIdentities> identities;  // of each scenario
  std::vector<std::size_t> of;             // the scenario of each cell
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    identities.emplace_back(scenarios[i], options.fidelity);
    for (PlannedCell& planned : plan(scenarios[i], *topologies[i])) {
      expect(planned.is_alternative || of.empty() || of.back() != i, "{} has several cells",
             scenarios[i].name);
      cells.push_back(std::move(planned));
      of.push_back(i);
    }
  }

  const auto work = [&](std::size_t i, const ReportProgress& report) {
    return checked_outcome(
        simulate(cells[i], scenarios[of[i]], *topologies[of[i]], options, report));
  };
  const CellMemory memory{
      options.kept,
      [&](std::size_t i) {
        return fmt::format("{} of {}: {}", of[i], scenarios[of[i]].name, key_of(cells[i].cell));
      },
      cache_of(options), [&](std::size_t i) { return identities[of[i]].of(cells[i]); }};
  // SimGrid has one simulation per process.
  const std::size_t cells_per_process = options.fidelity == Fidelity::simgrid ? 1 : 8;
  return best_predictions(cells, run_cells(cells.size(), options.jobs, work,
                                           progress_of(cells, options), memory, cells_per_process));
}

}  // namespace ringcast
