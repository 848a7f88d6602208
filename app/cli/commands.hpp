#pragma once

#include "app/cli/program.hpp"

namespace ringcast {

/// Each function adds one command with its options. Commands report errors by exceptions, which
/// run_program() prints. To add a command: a file NAME_command.cpp, a line here, a line in
/// main.cpp.
void add_predict_command(Command& program);
void add_show_command(Command& program);
void add_links_command(Command& program);
void add_validate_command(Command& program);
void add_plot_command(Command& program);
void add_import_command(Command& program);
void add_compare_command(Command& program);
void add_measure_command(Command& program);
void add_discover_command(Command& program);
void add_calibrate_command(Command& program);
void add_rings_command(Command& program);

/// The same for ringcast-mpi, in mpi_main.cpp: the command runs on every rank, inside on_ranks().
void add_mpi_discover_command(Command& program);
void add_mpi_measure_command(Command& program);
void add_mpi_calibrate_command(Command& program);

}  // namespace ringcast
