#pragma once

#include <filesystem>

#include "app/config/scenario/scenario.hpp"
#include "app/config/yaml/input_node.hpp"

namespace ringcast {

/// The same for a file that was read already.
[[nodiscard]] Scenario read_scenario(const InputNode& node, const ScenarioOverrides& overrides = {},
                                     Purpose purpose = Purpose::prediction);

// The parts of a scenario that a published set has too.

/// `cluster` and `transport` are a map, or the path of a file that holds it, relative to `folder`.
[[nodiscard]] InputNode resolved(const InputNode& node, const std::filesystem::path& folder);
/// Reads `data_type` and `operation`.
[[nodiscard]] Reduction read_reduction(const InputNode& file, const ScenarioOverrides& overrides);
/// Reads `channels` and `ring_order`, which must suit the ranks and the transport that
/// `scenario` has already.
void read_ring(const InputNode& file, const ScenarioOverrides& overrides, Purpose purpose,
               Scenario& scenario);

}  // namespace ringcast
