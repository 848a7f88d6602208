#pragma once

#include <cstdint>

#include "topology/cluster_spec.hpp"

namespace ringcast {

/// How many of each a node of one type has. Counts that overflow stop at the largest number.
struct NodeParts {
  std::int64_t sockets = 0;
  std::int64_t roots = 0;
  std::int64_t switches = 0;
  std::int64_t gpus = 0;
  std::int64_t cards = 0;
  std::int64_t processes = 0;
  std::int64_t total = 0;
};

/// Far above any machine, and small enough to build in memory in a moment.
inline constexpr std::int64_t most_parts_of_a_node = 100'000;
inline constexpr std::int64_t most_parts_of_a_cluster = 2'000'000;

[[nodiscard]] NodeParts parts_of(const NodeTypeSpec& type);

}  // namespace ringcast
