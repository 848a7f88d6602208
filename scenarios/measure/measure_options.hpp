#pragma once

#include <string>
#include <vector>

#include "scenarios/measure/launcher.hpp"
#include "scenarios/measure/timing.hpp"
#include "scenarios/output_options.hpp"
#include "scenarios/scenario.hpp"

namespace ringcast {

/// What the command line says to `ringcast measure` and `ringcast-mpi measure` alike.
struct MeasureOptions {
  std::string scenario;
  ScenarioOverrides overrides;
  OutputOptions output;
  TimingOptions timing;
  bool no_shared_memory = false;
  std::string budget = "10 s";
  std::string timeout = "60 s";
};

void add_measure_options(CLI::App& command, MeasureOptions& options);

/// The options as words for a job of so many ranks, which is a part of what was asked for.
[[nodiscard]] std::vector<std::string> words_of(MeasureOptions options, int ranks);

/// The timing that the texts ask for. Throws ScenarioError "--budget: ...".
[[nodiscard]] TimingOptions timing_of(const MeasureOptions& options);

}  // namespace ringcast
