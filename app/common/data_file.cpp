#include "app/common/data_file.hpp"

#include <cstdlib>
#include <system_error>

namespace ringcast {

namespace fs = std::filesystem;

fs::path data_folder() {
  const char* const chosen = std::getenv("RINGCAST_DATA_DIR");
  if (chosen != nullptr && *chosen != '\0') {
    std::error_code failure;  // a deleted working directory
    const fs::path folder = fs::absolute(chosen, failure);
    return failure ? fs::path{chosen} : folder;
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share" / "ringcast";
  return fs::is_directory(installed, error) ? installed : fs::path{RINGCAST_SOURCE_TREE};
}

fs::path find_data_file(const fs::path& name, const fs::path& folder) {
  std::error_code error;
  fs::path given = folder / name;
  if (fs::exists(given, error) || name.empty() || *name.begin() != "scenarios") return given;
  fs::path found = data_folder() / name;
  return fs::exists(found, error) ? found : given;
}

}  // namespace ringcast
