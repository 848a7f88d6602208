#include "app/cli/commands.hpp"
#include "app/measure/job_words.hpp"
#include "app/measure/on_ranks.hpp"

int main(int argc, char** argv) {
  ringcast::MpiProgram mpi{argc, argv};
  return ringcast::run_program(
      "ringcast-mpi",
      "What each rank of `ringcast measure` and the like runs, under mpirun or srun.", argc, argv,
      [&mpi](ringcast::Command& program) {
        program.flag(std::string{ringcast::launched_flag}, mpi.launched).group("");
        ringcast::add_mpi_discover_command(program, mpi);
        ringcast::add_mpi_measure_command(program, mpi);
        ringcast::add_mpi_calibrate_command(program, mpi);
      });
}
