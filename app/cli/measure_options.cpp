#include "app/cli/measure_options.hpp"

#include <fmt/format.h>

#include "app/cli/sweep_options.hpp"
#include "app/config/scenario/training_plan.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

std::vector<std::string> measurable_names() {
  std::vector<std::string> names = allreduce_names();
  names.insert(names.end(), measured_only_names().begin(), measured_only_names().end());
  return names;
}

/// The rings of NCCL can only be predicted.
std::vector<std::string> measurable_rings() {
  std::vector<std::string> names = ring_rules();
  std::erase(names, nccl_rings);
  return names;
}

void add_backend_options(Command& command, MeasureOptions& options) {
  command.choice("--backend", options.ranks.backend, rank_kind_names,
                 "what a rank is: a CPU process (host) or a GPU (cuda); auto: a GPU where every "
                 "rank finds one");
  command.choice("--path", options.ranks.path, device_path_names,
                 "how GPUs exchange messages: ipc (inside a host), cuda-aware (MPI takes their "
                 "memory), staged (through host memory); auto: the first of these that works");
  command.choice("--reduce-on", options.ranks.reduce_on, reduce_on_names,
                 "where GPU buffers are reduced: on the device or on the host");
}

}  // namespace

void add_measure_options(Command& command, MeasureOptions& options) {
  const auto others = static_cast<std::ptrdiff_t>(command.names().size());
  constexpr int most = 1'000'000;
  command.option("scenario", options.scenario, "a scenario file").required();
  command.option("--warmup", options.timing.warmup, "untimed runs of each cell")
      .range(0, most)
      .shows_default();
  command.option("--repetitions", options.timing.repetitions, "timed runs of each cell")
      .range(1, most)
      .shows_default();
  command.duration(
      "--budget", options.timing.budget,
      fmt::format("reduce the repetitions, to {} at least, where a cell would take longer",
                  fewest_repetitions));
  command.flag("!--no-check,--check", options.timing.check,
               "check every sum before and after the repetitions (default)");
  command.duration("--timeout", options.ranks.timeout,
                   "end a job that makes no progress for this long");
  command.flag("--no-shared-memory", options.ranks.no_shared_memory,
               "send all messages through MPI, also between ranks of one host");
  command.option("--timeline", options.timeline,
                 "training: write this rank's iteration, layer by layer, to the JSON");
  add_backend_options(command, options);
  add_sweep_options(command, options.overrides, measurable_names(), measurable_rings());
  options.for_ranks = command.names();
  options.for_ranks.erase(options.for_ranks.begin(), options.for_ranks.begin() + others);
  // A job has its own --ranks, and a flag with two names would be given under both.
  for (const char* const name : {"--ranks", "--check", "--no-check"})
    std::erase(options.for_ranks, name);
}

std::vector<std::string> words_for_ranks(const Command& command, const MeasureOptions& options) {
  std::vector<std::string> words = command.given(options.for_ranks);
  if (!options.timing.check) {
    words.emplace_back("--no-check");
  }
  return words;
}

void expect_options_fit(const MeasureOptions& options, const Scenario& scenario) {
  if (!options.timeline) {
    return;
  }
  if (!scenario.training) {
    throw ScenarioError{
        "--timeline: the scenario trains nothing (expected a scenario with a training part)"};
  }
  static_cast<void>(timeline_rank(*options.timeline, scenario));
}

}  // namespace ringcast
