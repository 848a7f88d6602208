#pragma once

#include <filesystem>
#include <string>

#include "app/config/yaml/input_node.hpp"

namespace ringcast {

/// Reads the YAML file find_data_file(file). Throws ScenarioError, with the position, for
/// - YAML that cannot be parsed, no document or several, more than 64 levels, more than 16 MiB;
/// - a repeated key at any depth, which yaml-cpp would ignore, and a key that is not a scalar;
/// - anchors, aliases and tags.
[[nodiscard]] InputNode read_yaml(const std::filesystem::path& file);

/// The same for the file that a value names, relative to `folder`.
[[nodiscard]] InputNode read_yaml_named(const InputNode& name, const std::filesystem::path& folder,
                                        std::string_view expected);

/// The same for a text; `name`: that of its file, for messages.
[[nodiscard]] InputNode yaml_of(std::string name, const std::string& text);

}  // namespace ringcast
