#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "app/config/scenario/scenario.hpp"
#include "app/config/yaml/input_node.hpp"

namespace ringcast {

/// The constraints on explicit orders. Orders that do not fit ranks or channels from the command
/// line are reported at the option.
struct RingDemands {
  const std::vector<int>& ranks;
  const std::vector<int>& channels;  // empty: as many as there are orders
  std::optional<InputNode> ranks_option;
  std::optional<InputNode> channels_option;
};

/// One or several of: a rule's name, an explicit order [3, 1, ...], {name, order} or
/// {name, channels: [[...], [...]]}, or a YAML file of such a map, relative to `folder`.
[[nodiscard]] std::vector<RingChoice> read_ring_choices(const InputNode& node,
                                                        const RingDemands& demands,
                                                        const std::filesystem::path& folder);

}  // namespace ringcast
