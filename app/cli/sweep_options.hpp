#pragma once

#include <string>
#include <vector>

#include "app/cli/program.hpp"
#include "app/config/scenario/scenario.hpp"

namespace ringcast {

/// Adds --transport, --nccl-env and --protocol.
void add_transport_options(Command& command, ScenarioOverrides& overrides);

/// Adds --nodes and --gpus.
void add_job_options(Command& command, ScenarioOverrides& overrides);

/// Adds --ranks, --sizes and the other options that replace lists of a scenario's sweep. The help
/// lists `algorithms` and `rings`.
void add_sweep_options(Command& command, ScenarioOverrides& overrides,
                       const std::vector<std::string>& algorithms,
                       const std::vector<std::string>& rings);

}  // namespace ringcast
