#pragma once

#include <filesystem>

namespace ringcast {

/// The folder that holds scenarios/ and analysis/: $RINGCAST_DATA_DIR; else share/ringcast of the
/// prefix that the running program is installed under; else the source tree of the build.
[[nodiscard]] std::filesystem::path data_folder();

/// `folder`/`name`; where that does not exist and `name` begins with scenarios/, the file of
/// data_folder(), if there is one.
[[nodiscard]] std::filesystem::path find_data_file(const std::filesystem::path& name,
                                                   const std::filesystem::path& folder = {});

}  // namespace ringcast
