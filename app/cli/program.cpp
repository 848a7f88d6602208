#include "app/cli/program.hpp"

#include <exception>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/common/console.hpp"
#include "app/config/nearest_name.hpp"
#include "app/report/provenance.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

std::vector<std::string> command_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> option_names(CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

/// In our words: CLI11 knows no suggestions, and says of an unknown command that none was given.
std::string problem(const CLI::ParseError& error, CLI::App& app) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  CLI::App& command = given.empty() ? app : *given.front();
  const std::string help =
      (given.empty() ? app.get_name() : app.get_name() + " " + command.get_name()) + " --help";
  const std::vector<std::string> surplus = app.remaining(true);
  const std::string text = surplus.empty() ? "" : surplus.front();

  if (text.starts_with('-')) {
    const std::vector<std::string> names = option_names(command);
    const std::vector<std::string_view> views{names.begin(), names.end()};
    return fmt::format("unknown option \"{}\"{} (see {})", text, suggestion(text, views), help);
  }
  if (given.empty()) {
    const std::vector<std::string> names = command_names(app);
    const std::vector<std::string_view> views{names.begin(), names.end()};
    return fmt::format("{} (expected {}; see {})",
                       text.empty()
                           ? std::string{"no command"}
                           : fmt::format("unknown command \"{}\"{}", text, suggestion(text, views)),
                       listed(views, "or"), help);
  }
  return text.empty() ? fmt::format("{} (see {})", error.what(), help)
                      : fmt::format("surplus argument \"{}\" (see {})", text, help);
}

void parse(CLI::App& app, int argc, char** argv, int& exit_code) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      throw ScenarioError{problem(error, app)};
    }
    exit_code = app.exit(error);  // --help, --version
  }
}

}  // namespace

std::string problem_with_file_name(const std::string& value) {
  return value.empty() ? "an empty text (expected the name of a file)" : "";
}

int run_program(const std::string& name, const std::string& description, int argc, char** argv,
                const std::function<void(CLI::App&, int& exit_code)>& add_commands) {
  occupy_standard_descriptors();
  try {
    CLI::App app{description, name};
    app.require_subcommand(1);
    app.set_version_flag("--version", program_version());
    app.get_formatter()->column_width(34);
    int exit_code = 0;
    add_commands(app, exit_code);
    parse(app, argc, argv, exit_code);
    finish_output();
    return exit_code;
  } catch (const Interrupted& stop) {
    print_message(fmt::format("{}: {}\n", name, stop.what()));
    return exit_code_of(stop);
  } catch (const Error& error) {
    print_message(fmt::format("{}\n", error.what()));
    return exit_code_of(error);
  } catch (const std::exception& bug) {
    print_message(fmt::format("{}: internal error, please report it: {}\n", name, bug.what()));
    return exit_code_of(bug);
  }
}

}  // namespace ringcast
