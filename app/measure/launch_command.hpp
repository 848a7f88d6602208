#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/measure/launcher.hpp"

namespace ringcast {

/// The properties of this host that the command line of a job depends on.
struct LaunchPlace {
  int cores = 1;
  bool is_root = false;
  std::filesystem::path program;  // ringcast-mpi; without a folder the launcher looks it up
};

/// The place of this process.
[[nodiscard]] LaunchPlace launch_place();

/// The words of the command that starts `ringcast-mpi ARGUMENTS...` on all ranks.
[[nodiscard]] std::vector<std::string> launch_command(const LaunchOptions& options,
                                                      const std::vector<std::string>& arguments,
                                                      const LaunchPlace& place);

/// The words of a text as a shell separates them: by spaces, with quotes and backslashes; nothing
/// is expanded. Throws ScenarioError, which names `option`, for a quote that does not end.
[[nodiscard]] std::vector<std::string> split_words(std::string_view text, std::string_view option);

/// One line that a shell separates into the words again.
[[nodiscard]] std::string shell_quoted(const std::vector<std::string>& words);

}  // namespace ringcast
