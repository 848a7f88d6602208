#pragma once

#include <optional>
#include <string>

#include "app/config/yaml/input_node.hpp"

namespace ringcast {

/// A value by itself, or `{value: 9, source: measured}`, the map of section `value`.
struct SourcedValue {
  InputNode value;
  std::optional<std::string> source;
};
[[nodiscard]] SourcedValue sourced_value(const InputNode& node);

}  // namespace ringcast
