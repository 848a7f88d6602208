#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/error.hpp"
#include "scenarios/cell_pool.hpp"
#include "scenarios/commands.hpp"
#include "scenarios/console.hpp"
#include "scenarios/provenance.hpp"
#include "scenarios/reader/nearest_name.hpp"

namespace {

// 128 + SIGINT: what a shell reports for a program that Ctrl-C ended.
constexpr int interrupted_exit_code = 130;

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
      (given.empty() ? "ringcast" : "ringcast " + command.get_name()) + " --help";
  const std::vector<std::string> surplus = app.remaining(true);
  const std::string text = surplus.empty() ? "" : surplus.front();

  if (text.starts_with('-')) {
    const std::vector<std::string> names = option_names(command);
    const std::vector<std::string_view> views{names.begin(), names.end()};
    return fmt::format("unknown option \"{}\"{} (see {})", text, ringcast::suggestion(text, views),
                       help);
  }
  if (given.empty()) {
    const std::vector<std::string> names = command_names(app);
    const std::vector<std::string_view> views{names.begin(), names.end()};
    return fmt::format("{} (expected {}; see {})",
                       text.empty() ? std::string{"no command"}
                                    : fmt::format("unknown command \"{}\"{}", text,
                                                  ringcast::suggestion(text, views)),
                       ringcast::listed(views, "or"), help);
  }
  return text.empty() ? fmt::format("{} (see {})", error.what(), help)
                      : fmt::format("surplus argument \"{}\" (see {})", text, help);
}

int run(int argc, char** argv) {
  CLI::App app{"Predict how long a ring all-reduce takes on a cluster.", "ringcast"};
  app.require_subcommand(1);
  app.set_version_flag("--version", ringcast::program_version());
  app.get_formatter()->column_width(34);
  int exit_code = 0;
  ringcast::add_predict_command(app, exit_code);
  ringcast::add_show_command(app);
  ringcast::add_validate_command(app, exit_code);
  ringcast::add_plot_command(app);
  ringcast::add_import_command(app);
  ringcast::add_compare_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      return app.exit(error);  // --help, --version
    }
    throw ringcast::ScenarioError{problem(error, app)};
  }
  return exit_code;
}

}  // namespace

std::string ringcast::problem_with_file_name(const std::string& value) {
  return value.empty() ? "an empty text (expected the name of a file)" : "";
}

int main(int argc, char** argv) {
  ringcast::occupy_standard_descriptors();
  try {
    const int exit_code = run(argc, argv);
    ringcast::finish_output();
    return exit_code;
  } catch (const ringcast::Interrupted& stop) {
    ringcast::print_message(fmt::format("ringcast: {}\n", stop.what()));
    return interrupted_exit_code;
  } catch (const ringcast::Error& error) {
    ringcast::print_message(fmt::format("{}\n", error.what()));
    return ringcast::exit_code_of(error);
  } catch (const std::exception& bug) {
    ringcast::print_message(
        fmt::format("ringcast: internal error, please report it: {}\n", bug.what()));
    return ringcast::exit_code_of(bug);
  }
}
