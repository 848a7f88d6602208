#pragma once

#include <filesystem>

#include "app/config/scenario/scenario.hpp"
#include "app/config/scenario/training.hpp"
#include "app/config/yaml/input_node.hpp"

namespace ringcast {

/// The model of a scenario's `training`; its path is relative to `folder`.
[[nodiscard]] TrainingModel read_trained_model(const InputNode& training,
                                               const std::filesystem::path& folder);
/// The `training` part. The scenario has its ranks, its reduction and its seed already. Throws
/// ScenarioError also where a GPU would have no sample of a global batch.
[[nodiscard]] Training read_training(const InputNode& node, const std::filesystem::path& folder,
                                     const Scenario& scenario, const ScenarioOverrides& overrides);

}  // namespace ringcast
