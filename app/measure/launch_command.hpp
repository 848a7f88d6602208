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

/// Whether the launcher is Open MPI's, whose options are known.
[[nodiscard]] bool is_open_mpis(const LaunchOptions& options);

/// The command that starts `ringcast-mpi ARGUMENTS...` on all ranks.
[[nodiscard]] std::vector<std::string> launch_command(const LaunchOptions& options,
                                                      const std::vector<std::string>& arguments,
                                                      const LaunchPlace& place);

/// Splits a text into words as a shell does: by spaces, with quotes and backslashes, without
/// expansions. Throws ScenarioError, which names `option`, for an unterminated quote.
[[nodiscard]] std::vector<std::string> split_words(std::string_view text, std::string_view option);

/// One line that a shell splits into these words.
[[nodiscard]] std::string shell_quoted(const std::vector<std::string>& words);

}  // namespace ringcast
