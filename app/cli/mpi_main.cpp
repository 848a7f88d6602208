#include <CLI/CLI.hpp>

#include "app/cli/commands.hpp"
#include "app/cli/program.hpp"
#include "app/measure/job_words.hpp"
#include "app/measure/on_ranks.hpp"

int main(int argc, char** argv) {
  ringcast::MpiProgram program{argc, argv};
  return ringcast::run_program(
      "ringcast-mpi",
      "What each rank of `ringcast measure` and the like runs, under mpirun or srun.", argc, argv,
      [&program](CLI::App& app, int& exit_code) {
        app.add_flag(std::string{ringcast::launched_flag}, program.launched)->group("");
        ringcast::add_mpi_discover_command(app, program, exit_code);
        ringcast::add_mpi_measure_command(app, program, exit_code);
        ringcast::add_mpi_calibrate_command(app, program, exit_code);
      });
}
