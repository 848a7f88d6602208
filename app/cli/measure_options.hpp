#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/program.hpp"
#include "app/config/scenario/scenario.hpp"
#include "app/measure/rank_options.hpp"
#include "app/measure/timing.hpp"

namespace ringcast {

/// The options common to `ringcast measure` and `ringcast-mpi measure`.
struct MeasureOptions {
  std::string scenario;
  ScenarioOverrides overrides;
  TimingOptions timing;
  RankOptions ranks;
  std::optional<int> timeline = {};         // of training
  int first_cell = 0;                       // of a job that continues an interrupted one
  std::vector<std::string> for_ranks = {};  // names of the options that ranks get
};

void add_measure_options(Command& command, MeasureOptions& options);

/// The given options that the ranks need, without --ranks, as words of their command line.
[[nodiscard]] std::vector<std::string> words_for_ranks(const Command& command,
                                                       const MeasureOptions& options);

/// Throws ScenarioError for options that do not apply to the scenario; "--timeline: ...".
void expect_options_fit(const MeasureOptions& options, const Scenario& scenario);

}  // namespace ringcast
