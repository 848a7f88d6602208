#pragma once

#include <string>
#include <vector>

#include "app/config/scenario.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
}  // namespace CLI

namespace ringcast {

/// Adds --ranks, --sizes and the others that replace what a scenario says of its sweep; the help
/// names these algorithms.
void add_sweep_options(CLI::App& command, ScenarioOverrides& overrides,
                       const std::vector<std::string>& algorithms);

/// The options that were given, as words of a command line that says the same.
[[nodiscard]] std::vector<std::string> words_of(const ScenarioOverrides& overrides);

}  // namespace ringcast
