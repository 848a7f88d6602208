#include "app/cli/commands.hpp"

int main(int argc, char** argv) {
  return ringcast::run_program(
      "ringcast", "Predict and measure all-reduce and data-parallel training on clusters of GPUs.",
      argc, argv, [](ringcast::Command& program) {
        ringcast::add_predict_command(program);
        ringcast::add_measure_command(program);
        ringcast::add_calibrate_command(program);
        ringcast::add_show_command(program);
        ringcast::add_links_command(program);
        ringcast::add_rings_command(program);
        ringcast::add_validate_command(program);
        ringcast::add_plot_command(program);
        ringcast::add_import_command(program);
        ringcast::add_compare_command(program);
        ringcast::add_discover_command(program);
      });
}
