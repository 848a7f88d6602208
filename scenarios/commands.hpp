#pragma once

namespace CLI {
class App;
}  // namespace CLI

namespace ringcast {

/// Each adds one command with its options; the command leaves its exit code in `exit_code` and
/// throws what main() turns into a message. To add a command: a file NAME_command.cpp, a line here,
/// a line in main.cpp.
void add_predict_command(CLI::App& app, int& exit_code);
void add_show_command(CLI::App& app);
void add_plot_command(CLI::App& app);

}  // namespace ringcast
