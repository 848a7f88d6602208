#pragma once

#include <string>
#include <vector>

#include "app/cli/program.hpp"
#include "app/config/scenario/scenario.hpp"

namespace ringcast {

/// Adds --ranks, --sizes and the others that replace what a scenario says of its sweep; the help
/// names these algorithms and ring orders.
void add_sweep_options(Command& command, ScenarioOverrides& overrides,
                       const std::vector<std::string>& algorithms,
                       const std::vector<std::string>& rings);

}  // namespace ringcast
