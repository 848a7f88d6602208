#pragma once

#include <cstdint>

#include "topology/cluster/cluster.hpp"

namespace ringcast::detail {

/// In the order NVLink, PCIe, socket link, network, a crossing costs as much as a thousand of the
/// kind before.
inline constexpr std::uint64_t network_cost = 1'000'000'000;

/// The cost of a cable between vertices of two kinds.
[[nodiscard]] std::uint64_t crossing_cost(VertexKind a, VertexKind b);

}  // namespace ringcast::detail
