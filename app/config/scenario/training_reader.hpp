#pragma once

#include <filesystem>

#include "app/config/scenario/scenario.hpp"
#include "app/config/scenario/training.hpp"
#include "app/config/yaml/input_node.hpp"

namespace ringcast {

/// The type of the gradients of a scenario's `training`, whose model is relative to `folder`.
[[nodiscard]] ElementType gradient_type_of(const InputNode& training,
                                           const std::filesystem::path& folder);
/// Reads `training`. `scenario` has its ranks, reduction and seed already. Throws ScenarioError
/// also if a GPU would have no sample of a global batch.
[[nodiscard]] Training read_training(const InputNode& node, const std::filesystem::path& folder,
                                     const Scenario& scenario, const ScenarioOverrides& overrides);

}  // namespace ringcast
