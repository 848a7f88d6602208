#include "app/cli/commands.hpp"
#include "app/measure/on_ranks.hpp"

int main(int argc, char** argv) {
  ringcast::MpiProgram mpi{argc, argv};
  return ringcast::run_program(
      "ringcast-mpi", "The program that mpirun or srun starts for each rank of `ringcast measure`.",
      argc, argv, [&mpi](ringcast::Command& program) {
        ringcast::add_mpi_discover_command(program, mpi);
        ringcast::add_mpi_measure_command(program, mpi);
        ringcast::add_mpi_calibrate_command(program, mpi);
      });
}
