#pragma once

#include <optional>
#include <string>

#include "app/cli/program.hpp"
#include "app/logs/imported_log.hpp"

namespace ringcast {

/// The command-line options for a log, as texts.
struct ImportArguments {
  std::optional<std::string> ranks;
  std::optional<std::string> data_type;
  bool in_place = false;
  bool skip = false;
};

void add_import_options(Command& command, ImportArguments& arguments);
/// Throws ScenarioError "--ranks: ... (expected ...)".
[[nodiscard]] ImportOptions import_options(const ImportArguments& arguments);

}  // namespace ringcast
