#pragma once

#include <filesystem>
#include <string>

#include "app/config/yaml/input_node.hpp"

namespace ringcast {

/// Reads a YAML file of one document, that of find_data_file(file). Throws ScenarioError, with the
/// position, on what a scenario or cluster file must not contain:
/// - YAML that cannot be parsed, no document or several, more than 64 levels, more than 16 MiB;
/// - a repeated key, at any depth (in silence one of the two would win), or a key that is no text;
/// - anchors, aliases and tags: a value stands where it is used, and the reader knows its kind.
[[nodiscard]] InputNode read_yaml(const std::filesystem::path& file);

/// The same of the file that a value names, relative to `folder`.
[[nodiscard]] InputNode read_yaml_named(const InputNode& name, const std::filesystem::path& folder,
                                        std::string_view expected);

/// The same of a text; `name` is that of its file, for messages.
[[nodiscard]] InputNode yaml_of(std::string name, const std::string& text);

}  // namespace ringcast
