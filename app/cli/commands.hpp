#pragma once

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
}  // namespace CLI

namespace ringcast {

struct MpiProgram;

/// Each adds one command with its options; the command leaves its exit code in `exit_code` and
/// throws what main() turns into a message. To add a command: a file NAME_command.cpp, a line here,
/// a line in main.cpp.
void add_predict_command(CLI::App& app, int& exit_code);
void add_show_command(CLI::App& app);
void add_validate_command(CLI::App& app, int& exit_code);
void add_plot_command(CLI::App& app);
void add_import_command(CLI::App& app);
void add_compare_command(CLI::App& app);
void add_push_pull_command(CLI::App& app, int& exit_code);
void add_measure_command(CLI::App& app, int& exit_code);
void add_discover_command(CLI::App& app);
void add_calibrate_command(CLI::App& app);

/// The same for ringcast-mpi, in mpi_main.cpp: the command runs on every rank, inside on_ranks().
void add_mpi_discover_command(CLI::App& app, const MpiProgram& program, int& exit_code);
void add_mpi_measure_command(CLI::App& app, const MpiProgram& program, int& exit_code);
void add_mpi_calibrate_command(CLI::App& app, const MpiProgram& program, int& exit_code);

/// What CLI11 is to say of an option's value that should name a file; nothing where it does. A
/// script's unset variable must not read as an option that was not given.
[[nodiscard]] std::string problem_with_file_name(const std::string& value);

}  // namespace ringcast
