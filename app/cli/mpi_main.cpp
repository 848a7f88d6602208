#include "app/cli/commands.hpp"

int main(int argc, char** argv) {
  return ringcast::run_program(
      "ringcast-mpi", "The program that mpirun or srun starts for each rank of `ringcast measure`.",
      argc, argv, [](ringcast::Command& program) {
        ringcast::add_mpi_discover_command(program);
        ringcast::add_mpi_measure_command(program);
        ringcast::add_mpi_calibrate_command(program);
      });
}
