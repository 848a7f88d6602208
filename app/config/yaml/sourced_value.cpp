#include "app/config/yaml/sourced_value.hpp"

#include <utility>

namespace ringcast {

SourcedValue sourced_value(const InputNode& node) {
  if (!node.is_map()) return {node, std::nullopt};
  node.allow_keys_of("value");
  std::string source = node.require("source", "where the value comes from").text();
  return {node.require("value", "the value"), std::move(source)};
}

}  // namespace ringcast
