#pragma once

#include <string_view>

#include "app/config/yaml/input_node.hpp"

namespace ringcast {

/// Throws ScenarioError unless all keys of the map `node` are those of `section`, a name of
/// known_keys.hpp. A file of another kind, all of whose keys belong to that, is called by its name:
/// `x.yaml:1:1: top level: is a transport (expected a cluster; for a transport: ...)`.
void expect_kind(const InputNode& node, std::string_view section);

/// The map `key` that a scenario contains, so that its file also serves as a cluster or a
/// transport; `node` itself where it has none.
[[nodiscard]] InputNode section_or_whole(const InputNode& node, std::string_view key);

}  // namespace ringcast
