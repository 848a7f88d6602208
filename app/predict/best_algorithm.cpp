#include "app/predict/best_algorithm.hpp"

#include <set>

#include "app/common/mapped.hpp"
#include "app/predict/machine_of_scenario.hpp"
#include "app/predict/predict_each.hpp"

namespace ringcast {
namespace {

/// A row, and its scenario with an algorithm that the tuner did not choose.
struct Alternative {
  ValidatedRow* row;
  Scenario scenario;
};

/// The algorithms of a tuned transport.
std::set<std::string> algorithms_of(const TransportProfile& transport) {
  std::set<std::string> algorithms;
  for (const Protocol& protocol : transport.protocols) {
    algorithms.insert(protocol.algorithm);
  }
  return algorithms;
}

/// Whether the tuner supports the algorithm on the machine.
bool is_possible(const Scenario& scenario) {
  return !plan(scenario, Topology{whole_machine(scenario)}).front().refusal;
}

void add_alternatives(ValidatedSet& set, std::vector<Alternative>& alternatives) {
  for (ValidatedRow& row : set.rows) {
    const Scenario chosen = scenario_of(set.published, row.published);
    if (chosen.transport.tuner == Tuner::none || row.published.algorithm != auto_algorithm) {
      continue;
    }
    row.best = {row.algorithm, row.predicted};
    for (const std::string& algorithm : algorithms_of(chosen.transport)) {
      if (row.algorithm.starts_with(algorithm + "/")) continue;
      Scenario scenario = chosen;
      scenario.algorithms = {algorithm};
      if (is_possible(scenario)) alternatives.push_back({&row, std::move(scenario)});
    }
  }
}

}  // namespace

void add_best(Validation& validation, const PredictOptions& options) {
  std::vector<Alternative> alternatives;
  for (ValidatedSet& set : validation.sets) {
    add_alternatives(set, alternatives);
  }
  const std::vector<Scenario> scenarios =
      mapped(alternatives, [](const Alternative& alternative) { return alternative.scenario; });
  const std::vector<Prediction> predictions =
      predict_each(scenarios, topologies_of(scenarios), options);
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    const auto* const predicted = std::get_if<Row>(&predictions[i]);
    std::optional<AlgorithmTime>& best = alternatives[i].row->best;
    if (predicted != nullptr && predicted->time < best->predicted) {
      best = {algorithm_text(predicted->cell), predicted->time};
    }
  }
}

}  // namespace ringcast
