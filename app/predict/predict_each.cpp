#include "app/predict/predict_each.hpp"

#include <deque>

#include "engine/numbers/error.hpp"

namespace ringcast {

std::vector<Prediction> predict_each(const std::vector<Scenario>& scenarios,
                                     const PredictOptions& options) {
  std::deque<Topology> topologies;
  std::vector<PlannedCell> cells;
  for (const Scenario& scenario : scenarios) {
    topologies.emplace_back(build_cluster(scenario.cluster));
    std::vector<PlannedCell> planned = plan(scenario, topologies.back());
    expect(planned.size() == 1, "{} has {} cells", scenario.name, planned.size());
    cells.push_back(std::move(planned.front()));
  }

  const auto work = [&](std::size_t i, const ReportProgress& report) {
    return checked_outcome(simulate(cells[i], scenarios[i], topologies[i], options, report));
  };
  std::vector<Prediction> predictions;
  const std::vector<CellOutcome> outcomes =
      run_cells(cells.size(), options.jobs, work, progress_of(cells, options));
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].succeeded) {
      predictions.emplace_back(row_from_outcome(cells[i].cell, outcomes[i].text));
    } else {
      predictions.emplace_back(FailedCell{cells[i].cell, outcomes[i].text, outcomes[i].exit_code});
    }
  }
  return predictions;
}

}  // namespace ringcast
