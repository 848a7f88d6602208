#pragma once

#include <map>
#include <string>
#include <string_view>

#include "app/config/yaml/input_node.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {

/// The named cables of a cluster file.
using NamedCables = std::map<std::string, CableSpec, std::less<>>;

[[nodiscard]] NamedCables read_named_cables(const InputNode& links);

/// A cable with the values of a class and an empty name.
[[nodiscard]] CableSpec cable_of(const LinkClass& link_class);

/// A rate in the range of cables and memories.
[[nodiscard]] BytesPerSecond read_bandwidth(const InputNode& node);
/// The rate under a key; zero (no limit) without it.
[[nodiscard]] BytesPerSecond read_limit(const InputNode& node, std::string_view key);

/// The devices that a cable of a cluster file connects.
enum class LinkUse { fabric, gpus, sockets, parts_of_node };

/// A `link`: the name of a link class or of one of `named`, or a map with values of its own. Link
/// classes of another use are refused, unless the file replaces the bandwidth of the class.
[[nodiscard]] CableSpec read_cable(LinkUse use, const InputNode& link, const NamedCables& named);

}  // namespace ringcast
