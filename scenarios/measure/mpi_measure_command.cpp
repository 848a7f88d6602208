#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

#include "engine/allreduce_algorithms.hpp"
#include "engine/error.hpp"
#include "real/mpi_allreduce.hpp"
#include "real/mpi_transport.hpp"
#include "scenarios/commands.hpp"
#include "scenarios/measure/job_words.hpp"
#include "scenarios/measure/measure_options.hpp"
#include "scenarios/measure/measurement.hpp"
#include "scenarios/measure/on_ranks.hpp"
#include "scenarios/progress_bar.hpp"
#include "scenarios/provenance.hpp"

namespace ringcast {
namespace {

void expect_enough_ranks(const Scenario& scenario, int started) {
  const int most = *std::ranges::max_element(scenario.ranks);
  if (most > started) {
    throw ScenarioError{
        fmt::format("--ranks: {} ranks, but {} {} started (expected 1 to {}; mpirun -n {} starts "
                    "as many)",
                    most, started, started == 1 ? "was" : "were", started, most)};
  }
}

std::unique_ptr<Collective> algorithm_of(const PlannedCell& planned) {
  if (planned.cell.algorithm == "mpi") {
    return std::make_unique<MpiAllreduce>();
  }
  return make_allreduce(planned.cell.algorithm, planned.options);
}

/// The measurement as one rank sees it.
class RankMeasurement {
 public:
  RankMeasurement(MpiWorld& world, RankVoice& voice, const MeasureOptions& options)
      : world_{world},
        voice_{voice},
        options_{options},
        scenario_{read_scenario(options.scenario, options.overrides, Purpose::measurement)},
        timing_{timing_of(options)} {
    expect_enough_ranks(scenario_, world.size());
    cells_ = plan_measurement(scenario_, world.node_of());
    for (const PlannedCell& planned : cells_) {
      expect_servers_in_use(planned, scenario_);
    }
    if (writes()) {
      check_output(options.output);
      bar_.emplace("measure", options.output.quiet);
    }
    result_.provenance = provenance_of(scenario_, "mpi", false);
    result_.provenance.host = distinct(world.hosts());
  }

  void run() {
    std::unique_ptr<MpiTransport> transport;
    for (const PlannedCell& planned : cells_) {
      if (!transport || transport->size() != planned.cell.ranks) {
        transport.reset();
        transport = std::make_unique<MpiTransport>(
            world_, scenario_.reduction,
            MpiOptions{.ranks = planned.cell.ranks,
                       .shared_memory = !options_.no_shared_memory,
                       .timeout = read_duration("--timeout", options_.timeout)});
      }
      run_cell(*transport, planned);
    }
    bar_.reset();
    if (writes()) {
      print_answer(result_, options_.output);
    }
  }

 private:
  /// Under `ringcast measure`, that writes.
  [[nodiscard]] bool writes() const { return world_.rank() == Rank{0} && !voice_.launched(); }

  void run_cell(Transport& transport, const PlannedCell& planned) {
    voice_.set_activity(fmt::format("measured {}", to_text(planned.cell)));
    const auto report = [this](int ended, int all) { show(ended, all); };
    try {
      const AllreduceRow row =
          measure_cell(transport, *algorithm_of(planned), planned, timing_, report);
      if (world_.rank() == Rank{0}) {
        result_.rows.push_back(row);
        voice_.say(row_word, to_json(row));
      }
    } catch (const std::exception& failure) {
      result_.failures.push_back({planned.cell, failure.what(), exit_code_of(failure)});
      write();
      throw;
    }
    write();
  }

  /// After each cell: a job that dies later leaves what it measured.
  void write() const {
    if (writes()) {
      write_answer(result_, options_.output);
    }
  }

  void show(int ended, int all) {
    constexpr std::chrono::milliseconds interval{500};
    const double fraction = static_cast<double>(ended) / all;
    if (bar_) {
      const auto rows = static_cast<double>(result_.rows.size());
      bar_->show((rows + fraction) / static_cast<double>(cells_.size()), result_.rows.size(),
                 cells_.size());
    } else if (const auto now = std::chrono::steady_clock::now(); now - said_ > interval) {
      said_ = now;
      voice_.say(progress_word, fmt::format("{:.3f}", fraction));
    }
  }

  MpiWorld& world_;
  RankVoice& voice_;
  const MeasureOptions& options_;
  Scenario scenario_;
  TimingOptions timing_;
  std::vector<PlannedCell> cells_;
  Result result_;
  std::optional<ProgressBar> bar_;
  std::chrono::steady_clock::time_point said_{};
};

}  // namespace

void add_mpi_measure_command(CLI::App& app, const MpiProgram& program, int& exit_code) {
  const auto options = std::make_shared<MeasureOptions>();
  CLI::App* const command =
      app.add_subcommand("measure", "run a scenario on these ranks and print how long it takes");
  add_measure_options(*command, *options);
  command->callback([options, &program, &exit_code] {
    exit_code = on_ranks(program, [&](MpiWorld& world, RankVoice& voice) {
      RankMeasurement{world, voice, *options}.run();
      return 0;
    });
  });
}

}  // namespace ringcast
