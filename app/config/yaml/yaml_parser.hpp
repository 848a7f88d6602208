#pragma once

#include <string>

#include "app/config/yaml/input_node.hpp"

namespace ringcast {

/// The value of a YAML text of one document without aliases, anchors and tags. Throws ScenarioError
/// `name:line:column: key: problem (expected ...)`.
[[nodiscard]] InputValue parse_yaml(const std::string& name, const std::string& text);

}  // namespace ringcast
