#include "app/config/yaml/yaml_reader.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "app/common/data_file.hpp"
#include "app/common/file_input.hpp"
#include "app/common/file_output.hpp"
#include "app/config/yaml/nearest_name.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

namespace {

namespace fs = std::filesystem;

/// Refuses a file that does not exist, and suggests the nearest name in its folder or the
/// catalogue.
void expect_there(const fs::path& file) {
  std::error_code error;
  if (fs::status(file, error).type() != fs::file_type::not_found) return;
  std::string near;
  for (const fs::path& folder : {file.parent_path(), fs::path{"scenarios"}}) {
    std::vector<std::string> stems;
    const fs::path searched = folder.empty() ? fs::path{"."} : find_data_file(folder);
    for (fs::directory_iterator each{searched, error}, end; !error && each != end;
         each.increment(error)) {
      if (each->path().extension() == ".yaml") stems.push_back(each->path().stem().string());
    }
    std::ranges::sort(stems);  // the folder has any order
    const auto stem = nearest_name(file.stem().string(),
                                   std::vector<std::string_view>{stems.begin(), stems.end()});
    if (stem && near.empty()) {
      near = fmt::format(", did you mean \"{}.yaml\"?", (folder / *stem).string());
    }
  }
  throw ScenarioError{
      fmt::format("{}: cannot be read: No such file or directory{} (expected a YAML file)",
                  file.string(), near)};
}

/// Without `..` where that names the same file: beyond a symbolic link, `..` is the folder above
/// the link's target.
fs::path shortened(const fs::path& file) {
  std::error_code error;
  fs::path normal = file.lexically_normal();
  const bool both_missing = !fs::exists(file, error) && !fs::exists(normal, error);
  return both_missing || fs::equivalent(file, normal, error) ? normal : file;
}

}  // namespace

InputNode read_yaml(const std::filesystem::path& file) {
  const std::filesystem::path found = find_data_file(file);
  expect_there(found);
  note_input(found);
  return yaml_of(found.string(), read_file(found, largest_yaml, "a YAML file"));
}

InputNode read_yaml_named(const InputNode& name, const fs::path& folder,
                          std::string_view expected) {
  const fs::path file = shortened(find_data_file(name.text(expected), folder));
  if (const auto reason = unreadable(file)) {
    name.fail(fmt::format("{} {}", printable(file.string(), 200), *reason), expected);
  }
  return read_yaml(file);
}

}  // namespace ringcast
