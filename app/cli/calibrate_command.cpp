#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "app/calibrate/machine_files.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/launch_options.hpp"
#include "app/common/console.hpp"
#include "app/common/file_output.hpp"
#include "app/report/provenance.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

struct CalibrateArguments {
  std::string output;
  bool quick = false;
  LaunchOptions launching;
};

Calibration measured(const CalibrateArguments& arguments) {
  std::vector<std::string> words{"calibrate", "--timeout", to_text(arguments.launching.timeout)};
  if (arguments.quick) words.emplace_back("--quick");
  if (arguments.launching.ranks) {
    words.insert(words.end(), {"--ranks", fmt::format("{}", *arguments.launching.ranks)});
  }
  std::string text;
  launch(arguments.launching, words, [&](const JobWord& word) {
    if (word.word == calibration_word) text = word.text;
  });
  if (text.empty()) {
    throw TransportError{
        "ringcast: calibrate: the ranks ended without a calibration (expected a launcher that "
        "forwards the output of all ranks)"};
  }
  return calibration_from_json(text);
}

void run_calibrate(const CalibrateArguments& arguments) {
  const std::filesystem::path output = arguments.output;
  expect_yaml_name("--output", output);
  note_input(arguments.launching.hostfile);
  check_writable(output);

  const MachineModel model = machine_model(measured(arguments));
  const bool replaces = model.is_close() || !std::filesystem::exists(output);
  if (replaces) write_file(output, scenario_yaml(model, {model.hosts.front(), time_now()}));
  print_output(machine_table(model) +
               fmt::format("# {}: {}\n", replaces ? "written" : "left as it was", output.string()));
  if (!model.is_close()) {
    throw OutsideTolerance{
        fmt::format("{}: {} (expected residuals of at most 20 %: calibrate again while nothing "
                    "else runs)",
                    output.string(),
                    replaces ? "of no use for predictions"
                             : "left as it was: this calibration is of no use for predictions")};
  }
}

}  // namespace

void add_calibrate_command(Command& program) {
  const auto arguments = std::make_shared<CalibrateArguments>();
  Command command = program.command(
      "calibrate",
      "measure this machine's ranks and write a scenario with their cluster and transport");
  command.option("--output", arguments->output, "the scenario file to write")
      .required()
      .file_name();
  command.flag("--quick", arguments->quick, "fewer sizes and repetitions");
  command.flag("--quiet", arguments->launching.quiet, "do not print the command that is run");
  add_launch_options(command, arguments->launching);
  command.runs([arguments] {
    run_calibrate(*arguments);
    return 0;
  });
}

}  // namespace ringcast
