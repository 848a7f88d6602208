#pragma once

#include <filesystem>

#include "scenarios/reader/input_node.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/training.hpp"

namespace ringcast {

/// The model of a scenario's `training`; its path is relative to `folder`.
[[nodiscard]] TrainingModel read_trained_model(const InputNode& training,
                                               const std::filesystem::path& folder);
/// The `training` part. The scenario has its ranks, its reduction and its seed already. Throws
/// ScenarioError also where a GPU would have no sample of a global batch.
[[nodiscard]] Training read_training(const InputNode& node, const std::filesystem::path& folder,
                                     const Scenario& scenario, const ScenarioOverrides& overrides);

/// The algorithms that a training can have: those of an all-reduce, and servers without a barrier.
[[nodiscard]] const std::vector<std::string>& training_algorithm_names();

}  // namespace ringcast
