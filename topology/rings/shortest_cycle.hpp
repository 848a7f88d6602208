#pragma once

#include <vector>

namespace ringcast::detail {

/// The limit of shortest_cycle(): each further vertex doubles the time.
constexpr std::size_t most_vertices_of_shortest_cycle = 13;

/// The directed Hamiltonian cycle with the lowest sum of costs, beginning with vertex 0.
/// `costs[u][v]`: of the arc from u to v, infinite where there is none. Empty if there is no cycle.
/// Throws ContractViolation for fewer than two vertices, or too many.
[[nodiscard]] std::vector<int> shortest_cycle(const std::vector<std::vector<double>>& costs);

}  // namespace ringcast::detail
