#include <filesystem>
#include <memory>
#include <string>
#include <vector>

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

void add_plot_command(Command& program) {
  const auto arguments = std::make_shared<PlotArguments>();
  Command command = program.command("plot", "draw result files");
  command.option("results", arguments->results, "JSON files that ringcast wrote").required();
  command.option("--output", arguments->output, "the picture: .png, .svg or .pdf")
      .required()
      .file_name();
  command
      .option("--kind", arguments->kind,
              "time and busbw against ranks, busbw against size, bars of ways to run one, the "
              "busiest cables, a prediction with the measurement beside it, a validation, "
              "training against ranks, its iterations beside measured ones, or one of them")
      .one_of({"auto", "scaling", "size", "bars", "links", "comparison", "validation", "training",
               "training-comparison", "timeline"})
      .shows_default();
  command.runs([arguments] {
    run_plot({arguments->results.begin(), arguments->results.end()}, arguments->output,
             arguments->kind);
    return 0;
  });
}

}  // namespace ringcast
