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
  std::string transport_output;
  bool quick = false;
  LaunchOptions launching;
};

/// `my.yaml` and `my-transport.yaml`
std::filesystem::path transport_beside(const std::filesystem::path& cluster) {
  std::filesystem::path beside = cluster;
  return beside.replace_filename(cluster.stem().string() + "-transport.yaml");
}

Calibration measured(const CalibrateArguments& arguments) {
  std::vector<std::string> words{"calibrate", "--timeout", to_text(arguments.launching.timeout)};
  if (arguments.quick) words.emplace_back("--quick");
  std::string text;
  launch(arguments.launching, words, [&](const std::string& word, const std::string& message) {
    if (word == calibration_word) text = message;
  });
  if (text.empty()) {
    throw TransportError{"calibrate: the ranks ended without a calibration"};
  }
  return calibration_from_json(text);
}

void run_calibrate(const CalibrateArguments& arguments) {
  const std::filesystem::path cluster = arguments.output;
  const std::filesystem::path transport = arguments.transport_output.empty()
                                              ? transport_beside(cluster)
                                              : std::filesystem::path{arguments.transport_output};
  if (is_same_file(cluster, transport)) {
    throw ScenarioError{fmt::format(
        "--transport-output: {} is the cluster's file (expected another)", transport.string())};
  }
  expect_yaml_name("--output", cluster);
  expect_yaml_name("--transport-output", transport);
  note_input(arguments.launching.hostfile);
  check_writable(cluster);
  check_writable(transport);

  const MachineModel model = machine_model(measured(arguments));
  const MeasuredAt at{model.hosts.front(), time_now()};
  write_files({{cluster, cluster_yaml(model, at)}, {transport, transport_yaml(model, at)}});
  print_output(machine_table(model) +
               fmt::format("# written: {} and {}\n", cluster.string(), transport.string()));
}

}  // namespace

void add_calibrate_command(Command& program) {
  const auto arguments = std::make_shared<CalibrateArguments>();
  Command command = program.command(
      "calibrate", "measure this machine's ranks and write a cluster and a transport of them");
  command.option("--output", arguments->output, "the cluster file to write").required().file_name();
  command
      .option("--transport-output", arguments->transport_output,
              "the transport file to write; by default OUTPUT-transport.yaml")
      .file_name();
  command.flag("--quick", arguments->quick, "fewer sizes and repetitions");
  command.duration("--timeout", arguments->launching.timeout,
                   "end a job that makes no progress for this long");
  command.flag("--quiet", arguments->launching.quiet, "do not print the command that is run");
  add_launch_options(command, arguments->launching);
  command.runs([arguments] {
    run_calibrate(*arguments);
    return 0;
  });
}

}  // namespace ringcast
