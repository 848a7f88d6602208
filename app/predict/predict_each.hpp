#pragma once

#include <memory>
#include <span>
#include <vector>

#include "app/config/scenario/scenario.hpp"
#include "app/predict/predict.hpp"
#include "app/report/result.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast {

using Topologies = std::vector<std::shared_ptr<const Topology>>;
/// The topology of each scenario's cluster; neighbours with equal clusters share one.
[[nodiscard]] Topologies topologies_of(std::span<const Scenario> scenarios);

/// Simulates independent scenarios of one cell each, as predict() simulates the cells of one, for
/// their times alone (PredictOptions::with_bounds). The options check and trace have no effect.
/// `topologies`: those of the scenarios. Throws what predict() throws.
[[nodiscard]] std::vector<Prediction> predict_each(const std::vector<Scenario>& scenarios,
                                                   const Topologies& topologies,
                                                   const PredictOptions& options);

}  // namespace ringcast
