#pragma once

#include <string_view>

#include "app/config/yaml/input_node.hpp"

namespace ringcast {

/// Throws ScenarioError unless `node` is a map with the keys of `section` (known_keys.hpp) only. If
/// all its keys are those of another kind of file, the message names that kind:
/// `x.yaml:1:1: top level: is a transport (expected a cluster; for a transport: ...)`.
void expect_kind(const InputNode& node, std::string_view section);

/// The map under `key` if there is one, else `node` itself: a scenario that contains its cluster
/// can be given where a cluster file is expected.
[[nodiscard]] InputNode section_or_whole(const InputNode& node, std::string_view key);

}  // namespace ringcast
