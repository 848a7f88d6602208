#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/ranges.h>

#include "app/cli/commands.hpp"
#include "app/cli/hardware_import.hpp"
#include "app/cli/import_options.hpp"
#include "app/cli/output_options.hpp"
#include "app/config/yaml/input_node.hpp"
#include "app/logs/import_file.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

struct ImportCommand {
  std::string format;
  std::vector<std::string> files;
  ImportArguments arguments;
  HardwareArguments hardware;
  OutputOptions output;
};

/// Logs, which become result files, and descriptions of hardware, which become cluster files.
std::vector<std::string_view> formats() {
  std::vector<std::string_view> all = log_formats();
  const std::vector<std::string_view> more = hardware_formats();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

void run_hardware_import(const ImportCommand& command, const std::string& format) {
  const ImportArguments& given = command.arguments;
  if (given.ranks || given.data_type || given.in_place || given.skip ||
      command.output.format != "table") {
    throw ScenarioError{fmt::format(
        "import {}: an option that only logs have (expected none of --ranks, --data-type, "
        "--in-place, --skip, --format)",
        format)};
  }
  std::ranges::for_each(command.files, note_input);
  import_hardware(format, command.files, command.hardware, command.output.output);
}

/// Refuses a file where its format is expected.
void expect_format(const std::string& given) {
  const std::vector<std::string_view> known = formats();
  const bool is_format = std::ranges::find(known, given) != known.end();
  if (is_format || !std::filesystem::exists(given)) return;
  const auto log = log_format_of(given);
  throw ScenarioError{fmt::format("{}: a file (expected its format before it: {})", given,
                                  log ? fmt::format("ringcast import {} {}", *log, given)
                                      : fmt::format("{}", fmt::join(known, ", ")))};
}

void run_import(const ImportCommand& command) {
  expect_format(command.format);
  const std::string format =
      InputNode::from_option("format", command.format).one_of("format", formats());
  if (command.files.empty()) {
    throw ScenarioError{
        fmt::format("import {}: no file (expected the file to convert after the format)", format)};
  }
  if (command.files.size() > 1 && !is_host_format(format)) {
    throw ScenarioError{fmt::format("import {}: {} files, the second is {} (expected one)", format,
                                    command.files.size(), in_quotes(command.files[1]))};
  }
  const std::vector<std::string_view> hardware = hardware_formats();
  if (std::ranges::find(hardware, format) != hardware.end()) {
    run_hardware_import(command, format);
    return;
  }
  if (any_given(command.hardware)) {
    throw ScenarioError{
        fmt::format("import {}: an option that only descriptions of hardware have (expected none "
                    "of --gpu, --cpu, --network, --nodes, --fabric)",
                    format)};
  }
  const ImportOptions options = import_options(command.arguments);
  check_output(command.output, {command.files.front()});
  const ImportedFile imported = import_log(command.files.front(), format, options);
  for (const std::string& remark : imported.remarks) {
    print_message(fmt::format("{}\n", remark));
  }
  write_answer(imported.result, command.output);
  print_answer(imported.result, command.output);
}

}  // namespace

void add_import_options(Command& command, ImportArguments& arguments) {
  const std::string group = "What a log does not say";
  command
      .option("--ranks", arguments.ranks, "number of ranks, where the log has none or a wrong one")
      .group(group);
  command
      .flag("--in-place", arguments.in_place,
            "nccl-tests: take the in-place columns (default: the out-of-place ones)")
      .group(group);
  command
      .flag("--skip", arguments.skip,
            "skip rows whose data type or operation ringcast does not know")
      .group(group);
  command
      .option("--data-type", arguments.data_type,
              "osu: the data type of the elements: float32, ...")
      .group(group);
}

ImportOptions import_options(const ImportArguments& arguments) {
  ImportOptions options;
  options.in_place = arguments.in_place;
  options.skip = arguments.skip;
  if (arguments.ranks) {
    options.ranks = InputNode::from_option("--ranks", *arguments.ranks).count();
  }
  if (arguments.data_type) {
    options.data_type = InputNode::from_option("--data-type", *arguments.data_type)
                            .one_of("data type", all_element_types);
  }
  return options;
}

void add_import_command(Command& program) {
  const auto import = std::make_shared<ImportCommand>();
  Command command = program.command("import",
                                    "convert the log of another benchmark to a result file,\n"
                                    "or a description of a machine to a cluster file");
  command
      .option("format", import->format, fmt::format("the format: {}", fmt::join(formats(), ", ")))
      .required();
  // Not required here: a file alone is read as the format, and the message is about that.
  command.option(
      "file", import->files,
      "the file to convert; descriptions of hosts may be several, one for each kind of node");
  add_output_options(command, import->output, "; of a machine its cluster file instead: .yaml");
  command.flag("--quiet", import->output.quiet, "no table where --output is given");
  add_import_options(command, import->arguments);
  add_hardware_options(command, import->hardware);
  command.runs([import] {
    run_import(*import);
    return 0;
  });
}

}  // namespace ringcast
