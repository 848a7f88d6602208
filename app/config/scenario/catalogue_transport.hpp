#pragma once

#include <filesystem>

#include "app/config/yaml/input_node.hpp"

namespace ringcast {

/// The value of a key `transport`: the map itself, a YAML file relative to `folder`, or the name of
/// a file in the catalogue: `nccl`, `RCCL`, `nccl-efa`. Throws ScenarioError for a name that is
/// none.
[[nodiscard]] InputNode named_transport(const InputNode& node, const std::filesystem::path& folder);

}  // namespace ringcast
