#pragma once

#include <string>
#include <vector>

#include "engine/element.hpp"
#include "scenarios/reader/input_node.hpp"

namespace ringcast {

// The lists of a scenario. A value that comes twice is refused: it would run, or serve, twice.

/// Rank counts, 1 to `gpus` each.
[[nodiscard]] std::vector<int> read_ranks(const InputNode& node, int gpus);

/// Sizes, or a map {min, max, factor} for a geometric series; each a multiple of the element size.
[[nodiscard]] std::vector<Bytes> read_sizes(const InputNode& node, ElementType type);

/// Names of algorithms, each one of `known`.
[[nodiscard]] std::vector<std::string> read_algorithms(const InputNode& node,
                                                       const std::vector<std::string>& known);

/// One value of such a list.
[[nodiscard]] int read_rank_count(const InputNode& node, int gpus);
[[nodiscard]] Bytes read_whole_elements(const InputNode& node, ElementType type);
[[nodiscard]] std::string read_algorithm(const InputNode& node);
[[nodiscard]] ElementType read_element_type(const InputNode& node);

/// Numbers of nodes, 0 to `nodes` - 1 each.
[[nodiscard]] std::vector<int> read_nodes(const InputNode& node, int nodes);

/// `4 MiB` (a multiple of the element size), or `whole`: nothing.
[[nodiscard]] std::optional<Bytes> read_segment_size(const InputNode& node, ElementType type);

}  // namespace ringcast
