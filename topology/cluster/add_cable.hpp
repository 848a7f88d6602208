#pragma once

#include <cstdint>
#include <vector>

#include "topology/cluster/cluster_spec.hpp"

namespace ringcast::detail {

/// Appends a cable between two vertices.
void add_cable(int a, int b, const CableSpec& cable, std::vector<Cable>& cables);
/// Combines `links` parallel cables into one: `6 x nvlink-2.0`.
[[nodiscard]] CableSpec bundle_of(std::int64_t links, CableSpec cable);

}  // namespace ringcast::detail
