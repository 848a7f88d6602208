#include "app/cli/commands.hpp"
#include "app/cli/program.hpp"

int main(int argc, char** argv) {
  return ringcast::run_program("ringcast", "Predict how long a ring all-reduce takes on a cluster.",
                               argc, argv, [](CLI::App& app, int& exit_code) {
                                 ringcast::add_predict_command(app, exit_code);
                                 ringcast::add_measure_command(app, exit_code);
                                 ringcast::add_calibrate_command(app);
                                 ringcast::add_show_command(app);
                                 ringcast::add_validate_command(app, exit_code);
                                 ringcast::add_plot_command(app);
                                 ringcast::add_import_command(app);
                                 ringcast::add_compare_command(app);
                                 ringcast::add_discover_command(app);
                                 ringcast::add_push_pull_command(app, exit_code);
                               });
}
