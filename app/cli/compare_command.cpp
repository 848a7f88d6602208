#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/cli/commands.hpp"
#include "app/cli/import_options.hpp"
#include "app/cli/output_options.hpp"
#include "app/common/counted.hpp"
#include "app/common/mapped.hpp"
#include "app/logs/import_file.hpp"
#include "app/report/comparison.hpp"
#include "engine/numbers/error.hpp"
#include "topology/links/gpu_models.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {
namespace {

struct CompareCommand {
  std::string predicted;
  std::string measured;
  std::optional<std::string> tolerance;
  ImportArguments arguments;
  OutputOptions output;
};

struct Side : NamedResult {
  bool has_wrong_sums = false;
  bool is_log = false;
};

Side read_side(const std::string& file, const ImportOptions& options) {
  ImportedFile read = read_result(file, options);
  for (const std::string& remark : read.remarks) {
    print_message(fmt::format("{}\n", remark));
  }
  return {{file, std::move(read.result)}, read.has_wrong_sums, read.is_log};
}

/// Refuses an option for logs if neither side is one.
void expect_log(const ImportArguments& given, const Side& predicted, const Side& measured) {
  if (predicted.is_log || measured.is_log) return;
  const std::pair<const char*, bool> options[] = {{"--ranks", given.ranks.has_value()},
                                                  {"--data-type", given.data_type.has_value()},
                                                  {"--in-place", given.in_place},
                                                  {"--skip", given.skip}};
  for (const auto& [option, is_given] : options) {
    if (is_given) {
      throw ScenarioError{fmt::format("{}: neither {} nor {} is a log (expected one, or no {})",
                                      option, predicted.name, measured.name, option)};
    }
  }
}

/// "2 ranks, 1 MiB; 2 ranks, 4 MiB; 4 ranks, 1 MiB; ..."
std::string first_of(const std::vector<std::string>& cells) {
  constexpr std::ptrdiff_t shown = 3;
  const bool all = std::ssize(cells) <= shown;
  return fmt::format("{}{}",
                     fmt::join(cells.begin(), all ? cells.end() : cells.begin() + shown, "; "),
                     all ? "" : "; ...");
}

std::string cells_are(std::size_t cells) {
  return fmt::format("{} {}", counted(cells, "cell"), cells == 1 ? "is" : "are");
}

/// "a.json: 5 cells are not in b.log: 2 ranks, 1 MiB; ..."
void report_unpaired(const std::string& file, const std::string& other,
                     const std::vector<std::string>& cells) {
  if (!cells.empty()) {
    print_message(fmt::format("{}: {} not in {}: {}\n", file, cells_are(cells.size()), other,
                              first_of(cells)));
  }
}

/// "b.json: 2 cells have failed: 2 ranks, 1 MiB; ..."
void report_failures(const NamedResult& side, const CellNaming& naming) {
  const std::vector<std::string> cells =
      mapped(side.result.failures,
             [&](const FailedCell& failure) { return naming.name_of(failure.cell); });
  if (!cells.empty()) {
    print_message(fmt::format("{}: {} {} failed: {}\n", side.name, counted(cells.size(), "cell"),
                              cells.size() == 1 ? "has" : "have", first_of(cells)));
  }
}

/// Two predictions may compare machines or releases on purpose.
bool is_against_measured(const NamedResult& predicted, const NamedResult& measured) {
  return predicted.result.provenance.simulated && !measured.result.provenance.simulated;
}

/// The release of NCCL that the transport of a side's first row names; `NCCL` is the newest.
std::optional<NcclVersion> release_of(const NamedResult& side) {
  constexpr std::string_view nccl = "NCCL";
  const std::string transport =
      side.result.rows.empty() ? "" : side.result.rows.front().cell.transport;
  if (transport == nccl && side.result.provenance.simulated) return newest_nccl;
  if (!transport.starts_with(nccl) || transport.size() < nccl.size() + 2) return std::nullopt;
  return nccl_version_named(fmt::format("nccl-{}", transport.substr(nccl.size() + 1)));
}

/// Reports that the log names another release of NCCL than the prediction.
void report_release(const NamedResult& predicted, const NamedResult& measured) {
  const auto expected = release_of(predicted);
  const auto ran = release_of(measured);
  if (!is_against_measured(predicted, measured) || !expected || !ran || expected == ran) return;
  print_message(fmt::format("{} was measured with {}, {} predicts {} (predict --transport {})\n",
                            measured.name, name_of(*ran), predicted.name, name_of(*expected),
                            name_of(*ran)));
}

/// Reports ranks that were on more or fewer nodes than the predicted ones.
void report_nodes(const Comparison& comparison, const NamedResult& predicted,
                  const NamedResult& measured) {
  if (!comparison.different_nodes || !is_against_measured(predicted, measured)) return;
  const auto [ranks, expected, ran] = *comparison.different_nodes;
  const int of_each = ranks / ran;
  const auto first = [](int count) {
    return count == 1 ? std::string{"0"} : fmt::format("0-{}", count - 1);
  };
  const std::string remedy = ranks % ran == 0 ? fmt::format("predict --nodes {} --gpus {}, say",
                                                            first(ran), first(of_each))
                                              : std::string{"predict --nodes and --gpus"};
  print_message(fmt::format("{}: {} were on {}, in {} on {} ({})\n", measured.name,
                            counted(ranks, "rank"), counted(ran, "node"), predicted.name, expected,
                            remedy));
}

/// The models of the GPUs that a side states: `8 x NVIDIA A100, 8 x NVIDIA H100 of 2 hosts`.
std::set<const GpuModel*> models_of(const NamedResult& side) {
  std::set<const GpuModel*> models;
  std::istringstream kinds{side.result.provenance.gpus.value_or("")};
  for (std::string kind; std::getline(kinds, kind, ',');)
    models.insert(find_gpu_model(kind));
  return models;
}

/// Reports that the measurement has GPUs of a model that the prediction has not.
void report_gpus(const NamedResult& predicted, const NamedResult& measured) {
  const std::set<const GpuModel*> expected = models_of(predicted);
  const std::set<const GpuModel*> ran = models_of(measured);
  const bool all_known = !expected.empty() && !expected.contains(nullptr) && !ran.contains(nullptr);
  const bool agree = std::ranges::includes(expected, ran);
  if (!is_against_measured(predicted, measured) || !all_known || agree) return;
  print_message(fmt::format("{} was measured on {}, {} predicts {}\n", measured.name,
                            *measured.result.provenance.gpus, predicted.name,
                            *predicted.result.provenance.gpus));
}

void expect_right_sums(const Side& side) {
  if (side.has_wrong_sums) {
    throw WrongResult{fmt::format(
        "--tolerance: {} has rows with wrong values (expected correct sums in each)", side.name)};
  }
}

void expect_within(const Comparison& comparison, const std::string& tolerance) {
  if (std::abs(comparison.worst().error()) > read_tolerance(tolerance)) {
    throw OutsideTolerance{
        fmt::format("{} (expected within {})", worst_error(comparison), tolerance)};
  }
}

void expect_all_ended(std::size_t failures) {
  if (failures > 0) {
    throw OutsideTolerance{fmt::format(
        "--tolerance: {} without a result (expected an error of every cell)", cells_are(failures))};
  }
}

void run_compare(const CompareCommand& command) {
  if (command.tolerance) {
    static_cast<void>(read_tolerance(*command.tolerance));
  }
  const ImportOptions options = import_options(command.arguments);
  check_output(command.output, {command.predicted, command.measured});
  const Side predicted = read_side(command.predicted, options);
  const Side measured = read_side(command.measured, options);
  expect_log(command.arguments, predicted, measured);
  const Comparison comparison = compare(predicted, measured);
  report_unpaired(command.predicted, command.measured, comparison.only_predicted);
  report_unpaired(command.measured, command.predicted, comparison.only_measured);
  report_failures(predicted, comparison.naming);
  report_failures(measured, comparison.naming);
  report_release(predicted, measured);
  report_gpus(predicted, measured);
  report_nodes(comparison, predicted, measured);
  write_answer(comparison, command.output);
  print_answer(comparison, command.output);
  if (command.tolerance) {
    expect_right_sums(predicted);
    expect_right_sums(measured);
    expect_within(comparison, *command.tolerance);
    expect_all_ended(predicted.result.failures.size() + measured.result.failures.size());
  }
}

}  // namespace

void add_compare_command(Command& program) {
  const auto compare = std::make_shared<CompareCommand>();
  Command command =
      program.command("compare", "compare a prediction with a measurement, cell by cell");
  command.option("predicted", compare->predicted, "a result file or a log").required();
  command.option("measured", compare->measured, "a result file or a log").required();
  command.option("--tolerance", compare->tolerance,
                 "exit code 6 unless every common cell's error is within this, e.g. 10%, and none "
                 "failed; 5 if a log has wrong values");
  add_output_options(command, compare->output);
  command.flag("--quiet", compare->output.quiet, "no table where --output is given");
  add_import_options(command, compare->arguments);
  command.runs([compare] {
    run_compare(*compare);
    return 0;
  });
}

}  // namespace ringcast
