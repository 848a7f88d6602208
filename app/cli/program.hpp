#pragma once

#include <functional>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
}  // namespace CLI

namespace ringcast {

/// The body of a main(): lets `add_commands` fill the command line, parses it, which runs the
/// command, and turns what it throws into one line on standard error and an exit code.
/// A command that ends without an exception sets `exit_code` where that is not 0.
[[nodiscard]] int run_program(const std::string& name, const std::string& description, int argc,
                              char** argv,
                              const std::function<void(CLI::App&, int& exit_code)>& add_commands);

}  // namespace ringcast
