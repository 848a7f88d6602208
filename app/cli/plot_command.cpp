#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/cli/commands.hpp"
#include "app/report/plot.hpp"

namespace ringcast {
namespace {

struct PlotArguments {
  std::vector<std::string> results;
  std::string output;
  std::string kind = "auto";
};

}  // namespace

void add_plot_command(CLI::App& app) {
  const auto arguments = std::make_shared<PlotArguments>();
  CLI::App* const command = app.add_subcommand("plot", "draw result files");
  command->add_option("results", arguments->results, "JSON files that ringcast wrote")->required();
  command->add_option("--output", arguments->output, "the picture: .png or .svg")
      ->required()
      ->check(problem_with_file_name);
  command
      ->add_option(
          "--kind", arguments->kind,
          "time and busbw against ranks, busbw against size, the busiest cables, a "
          "prediction with the measurement beside it, a validation, training against ranks, "
          "its iterations beside measured ones, or one of them")
      ->check(CLI::IsMember({"auto", "scaling", "size", "links", "comparison", "validation",
                             "training", "training-comparison", "timeline"}))
      ->capture_default_str();
  command->callback([arguments] {
    run_plot({arguments->results.begin(), arguments->results.end()}, arguments->output,
             arguments->kind);
  });
}

}  // namespace ringcast
