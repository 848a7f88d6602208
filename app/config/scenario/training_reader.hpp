#pragma once

#include <filesystem>

#include "app/config/scenario/scenario.hpp"
#include "app/config/scenario/training.hpp"
#include "app/config/yaml/input_node.hpp"

namespace ringcast {

/// The model of a scenario's `training`; its path is relative to `folder`.
[[nodiscard]] TrainingModel read_trained_model(const InputNode& training,
                                               const std::filesystem::path& folder);
/// Reads `training`. `scenario` has its ranks, reduction and seed already. Throws ScenarioError
/// also if a GPU would have no sample of a global batch.
[[nodiscard]] Training read_training(const InputNode& node, const std::filesystem::path& folder,
                                     const Scenario& scenario, const ScenarioOverrides& overrides);

}  // namespace ringcast
