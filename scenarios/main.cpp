#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/error.hpp"
#include "scenarios/cell_pool.hpp"
#include "scenarios/commands.hpp"
#include "scenarios/provenance.hpp"

namespace {

// 128 + SIGINT: what a shell reports for a program that Ctrl-C ended.
constexpr int interrupted_exit_code = 130;

int run(int argc, char** argv) {
  CLI::App app{"Predict how long a ring all-reduce takes on a cluster.", "ringcast"};
  app.require_subcommand(1);
  app.set_version_flag("--version", ringcast::program_version());
  app.get_formatter()->column_width(34);
  int exit_code = 0;
  ringcast::add_predict_command(app, exit_code);
  ringcast::add_show_command(app);
  ringcast::add_plot_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      return app.exit(error);  // --help, --version
    }
    throw ringcast::ScenarioError{fmt::format("{} (see ringcast --help)", error.what())};
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const ringcast::Interrupted& stop) {
    fmt::print(stderr, "ringcast: {}\n", stop.what());
    return interrupted_exit_code;
  } catch (const ringcast::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return ringcast::exit_code_of(error);
  } catch (const std::exception& bug) {
    fmt::print(stderr, "ringcast: internal error, please report it: {}\n", bug.what());
    return ringcast::exit_code_of(bug);
  }
}
