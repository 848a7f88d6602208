#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/ranges.h>

#include "app/cli/cell_output.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/launch_options.hpp"
#include "app/cli/measure_options.hpp"
#include "app/cli/output_options.hpp"
#include "app/cli/progress_bar.hpp"
#include "app/common/counted.hpp"
#include "app/measure/job_words.hpp"
#include "app/measure/measurement.hpp"
#include "app/report/json_text.hpp"
#include "app/report/provenance.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// The cells in the order in which the jobs, one for each number of ranks, measure them. The hosts
/// of the ranks are not known here, and cells do not depend on them.
std::vector<Cell> cells_of(const Scenario& scenario) {
  std::vector<Cell> cells;
  Scenario of_job = scenario;
  for (const int ranks : scenario.ranks) {
    of_job.ranks = {ranks};
    const std::vector<int> node_of(static_cast<std::size_t>(ranks), 0);
    for (const PlannedTraining& planned : plan_measurement(of_job, node_of)) {
      cells.push_back(planned.cell);
    }
  }
  return cells;
}

constexpr std::string_view hosts_note = "hosts";  // among the kept cells
constexpr std::string_view gpus_note = "gpus";

/// The results of the jobs of one measurement so far: one job for each number of ranks.
class Measurement {
 public:
  Measurement(const Scenario& scenario, bool quiet, KeptCells& kept)
      : cells_{cells_of(scenario)}, bar_{"measure", quiet}, kept_{kept} {
    result_.provenance = provenance_of(scenario, "mpi", false);
    resume();
  }

  void add(const JobWord& message) {
    const auto& [word, text] = message;
    if (word == begun_word) {
      expect_kept_hosts(text);
      begun_ = true;
      result_.provenance.host = text;
    } else if (word == gpus_word) {
      result_.provenance.gpus = text;
    } else if (word == remark_word) {
      print_message(fmt::format("ringcast: measure: {}\n", text));
    } else if (word == row_word) {
      if (ended() < cells_.size()) {
        kept_.keep(key_of(cells_[ended()]), text);
        kept_.keep_note(hosts_note, result_.provenance.host);
        if (result_.provenance.gpus) kept_.keep_note(gpus_note, *result_.provenance.gpus);
      }
      add_row(text);
      show(0);
    } else if (word == skipped_word) {
      print_message(fmt::format("ringcast: measure: {}: left out: {}\n", where(), text));
      fail(text, TransportError::code);
    } else if (word == progress_word) {
      double fraction = 0;
      std::from_chars(text.data(), text.data() + text.size(), fraction);
      show(fraction);
    }
  }

  /// Whether the running job has begun a cell, so that a failure belongs to it.
  [[nodiscard]] bool at_a_cell() const { return begun_ && ended() < cells_.size(); }
  [[nodiscard]] std::string where() const { return to_text(cells_.at(ended())); }
  void next_job() { begun_ = false; }
  /// The number of cells of a job, and the number of those that have a row.
  [[nodiscard]] std::pair<std::ptrdiff_t, std::ptrdiff_t> progress_of_job(int ranks) const {
    const auto ranks_of_row = [](const Row& row) { return row.cell.ranks; };
    return {std::ranges::count(cells_, ranks, &Cell::ranks),
            std::ranges::count(result_.rows, ranks, ranks_of_row)};
  }
  /// Throws if rows are missing: a launcher may lose the output of ranks.
  void expect_all() const {
    if (ended() < cells_.size()) {
      throw TransportError{fmt::format(
          "ringcast: measure: the launcher exited with 0, but its output has only {} of {} "
          "(expected a launcher that forwards the output of all ranks)",
          ended(), counted(cells_.size(), "cell"))};
    }
  }
  void fail(const std::string& text, int exit_code) {
    result_.failures.push_back({cells_.at(ended()), text, exit_code});
  }
  /// The exit code of the first cell without a row.
  [[nodiscard]] int exit_code() const {
    return result_.failures.empty() ? 0 : result_.failures.front().exit_code;
  }
  /// Reports the cells that will not be measured.
  void give_up(const std::string& why, int exit_code) {
    while (ended() < cells_.size()) {
      fail(why, exit_code);
    }
  }
  /// The number of cells that have a row or were left out.
  [[nodiscard]] std::size_t ended() const { return result_.rows.size() + result_.failures.size(); }
  [[nodiscard]] const Result& result() const { return result_; }

 private:
  /// Reads the rows of an interrupted run, up to the first cell without one.
  void resume() {
    while (ended() < cells_.size()) {
      const auto row = kept_.find(key_of(cells_.at(ended())));
      if (!row) {
        return;
      }
      add_row(*row);
      kept_hosts_ = kept_.find_note(hosts_note);
      result_.provenance.host = kept_hosts_.value_or(result_.provenance.host);
      result_.provenance.gpus = kept_.find_note(gpus_note);
    }
  }

  /// Not known before a job begins: a scheduler may give the same command others. The jobs of fewer
  /// ranks are on the first hosts.
  void expect_kept_hosts(const std::string& hosts) const {
    const std::string kept = kept_hosts_.value_or(hosts) + ",";
    if (!kept.starts_with(hosts + ",") && !(hosts + ",").starts_with(kept)) {
      throw ScenarioError{
          fmt::format("{}: not the hosts of the finished cells, {} (expected the same hosts, or "
                      "--fresh to measure all cells again)",
                      hosts, *kept_hosts_)};
    }
  }

  void add_row(const std::string& text) {
    result_.rows.push_back(row_from_json(text));
    result_.provenance.backend = result_.rows.back().cell.transport;
  }

  void show(double fraction_of_cell) {
    const double done = static_cast<double>(ended()) + fraction_of_cell;
    bar_.show({done / static_cast<double>(cells_.size()), ended(), cells_.size(), false});
  }

  std::vector<Cell> cells_;
  ProgressBar bar_;
  KeptCells& kept_;
  Result result_;
  std::optional<std::string> kept_hosts_;  // of an interrupted run whose rows are taken up
  bool begun_ = false;
};

/// The arguments of `ringcast measure` and, as words, those that its ranks get.
struct MeasureArguments {
  MeasureOptions options;
  OutputOptions output;
  LaunchOptions launching;
  std::vector<std::string> words = {};  // words_for_ranks()

  /// The command line of the ranks of a job.
  [[nodiscard]] std::vector<std::string> of_job(int ranks, std::ptrdiff_t first_cell) const {
    std::vector<std::string> all{"measure", options.scenario, "--ranks", fmt::format("{}", ranks)};
    all.insert(all.end(), words.begin(), words.end());
    if (first_cell > 0) {
      all.insert(all.end(), {"--first-cell", fmt::format("{}", first_cell)});
    }
    return all;
  }
};

void run_jobs(const std::vector<int>& ranks, MeasureArguments arguments, Measurement& measurement) {
  for (const int count : ranks) {
    const auto [cells, measured] = measurement.progress_of_job(count);
    if (measured == cells) {
      continue;
    }
    arguments.launching.ranks = count;
    measurement.next_job();
    launch(arguments.launching, arguments.of_job(count, measured),
           [&](const JobWord& word) { measurement.add(word); });
  }
  measurement.expect_all();
}

/// `ringcast: measure: rank 1 ...` becomes `ringcast: measure: 2 ranks, 1 MiB, ring: rank 1 ...`,
/// unless it says so itself.
std::string with_cell(std::string text, const std::string& cell) {
  if (text.find(cell) != text.npos) {
    return text;
  }
  constexpr std::string_view begin = "ringcast: measure: ";
  if (text.starts_with(begin)) {
    text.erase(0, begin.size());
  }
  return fmt::format("{}{}: {}", begin, cell, text);
}

/// The settings that a row depends on besides the input files and its cell: options, host, job.
std::string settings_of(const MeasureArguments& arguments) {
  const LaunchOptions& launching = arguments.launching;
  return fmt::format("{} on {}: {}, {}, {}", fmt::join(arguments.of_job(0, 0), " "),
                     this_host_name(), launching.launcher, launching.mpirun_args,
                     launching.oversubscribe);
}

/// Runs the jobs; what was measured before a failure stays.
int measured(const Scenario& scenario, const MeasureArguments& arguments,
             Measurement& measurement) {
  try {
    run_jobs(scenario.ranks, arguments, measurement);
    return measurement.exit_code();
  } catch (const Error& failure) {
    const bool interrupted = dynamic_cast<const Interrupted*>(&failure) != nullptr;
    // Bad input that only the ranks could detect is not a failure of the first cell.
    const bool refused =
        measurement.ended() == 0 && dynamic_cast<const ScenarioError*>(&failure) != nullptr;
    if (measurement.at_a_cell() && !interrupted && !refused) {
      const std::string text = with_cell(failure.what(), measurement.where());
      print_message(text + "\n");
      measurement.fail(failure.what(), exit_code_of(failure));
    } else if (measurement.ended() == 0) {
      throw;
    } else {
      print_message(interrupted ? "ringcast: interrupted\n" : fmt::format("{}\n", failure.what()));
    }
    measurement.give_up(
        interrupted ? "not measured: interrupted" : "not measured: the run has ended",
        exit_code_of(failure));
    return exit_code_of(failure);
  }
}

int run_measure(MeasureArguments arguments) {
  const MeasureOptions& options = arguments.options;
  LaunchOptions& launching = arguments.launching;
  expect_rereadable(options.scenario, options.scenario);
  const Scenario scenario =
      read_scenario(options.scenario, options.overrides, Purpose::measurement);
  check_output(arguments.output, {options.scenario, launching.hostfile});
  expect_options_fit(options, scenario);
  launching.timeout = options.ranks.timeout;
  // NCCL's proxy is a second thread: on one core with the rank, it waits for a time slice.
  launching.unbound = std::ranges::find(scenario.algorithms, "nccl") != scenario.algorithms.end();
  launching.quiet = arguments.output.quiet;
  CellOutput output{arguments.output, settings_of(arguments)};
  Result result;
  int exit_code = 0;
  {
    Measurement measurement{scenario, launching.quiet, output.kept()};
    exit_code = measured(scenario, arguments, measurement);
    result = measurement.result();
  }
  output.write(result, result.failures.empty());
  if (!result.rows.empty()) {
    print_answer(result, arguments.output);
  }
  return exit_code;
}

/// Refuses options of `ringcast predict`, which a user may expect here, too.
void add_options_of_predictions(Command& command) {
  for (const char* const name : {"--trace", "--until-efficiency"}) {
    const auto refuse = [name](const std::string& /*value*/) {
      throw ScenarioError{
          fmt::format("{}: not of measurements (expected `ringcast predict {} ...`)", name, name)};
    };
    command.callback_option(name, refuse, "").group("");  // hidden
  }
}

}  // namespace

void add_measure_command(Command& program) {
  const auto arguments = std::make_shared<MeasureArguments>();
  Command command = program.command(
      "measure", "run a scenario on real ranks, through MPI, and print how long it takes");
  add_output_options(command, arguments->output);
  add_fresh_option(command, arguments->output);
  command.flag("--quiet", arguments->output.quiet,
               "no progress bar, no command line, and no table where --output is given");
  add_options_of_predictions(command);
  add_measure_options(command, arguments->options);
  add_launch_options(command, arguments->launching);
  command.runs([arguments, command] {
    arguments->words = words_for_ranks(command, arguments->options);
    return run_measure(*arguments);
  });
}

}  // namespace ringcast
