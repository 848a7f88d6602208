#pragma once

#include <vector>

namespace ringcast::detail {

/// A directed Hamiltonian cycle over vertices 0 .. n-1 that begins with 0.
using Cycle = std::vector<int>;
/// capacity[u][v]: the number of cycles that may cross the arc from u to v.
using ArcCapacities = std::vector<std::vector<int>>;

/// Finds a largest set of Hamiltonian cycles within the capacities of the arcs; empty if there is
/// no cycle, or for fewer than two vertices. Deterministic. The effort is bounded: beyond about ten
/// vertices the set may not be the largest.
[[nodiscard]] std::vector<Cycle> disjoint_cycles(const ArcCapacities& capacity);

}  // namespace ringcast::detail
