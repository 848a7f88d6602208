#pragma once

#include <vector>

#include "app/config/scenario/result_cell.hpp"
#include "topology/routes/lower_bound.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

// Physically impossible results are internal errors and never printed: ContractViolation.

inline constexpr std::size_t most_link_loads = 32;
/// The links that carried anything (carried_by_link), busiest first, at most most_link_loads.
/// Throws if a link carried more than its bandwidth allows in this time.
[[nodiscard]] std::vector<LinkLoad> link_loads(const std::vector<Bytes>& carried, Seconds time,
                                               const TransferPaths& paths);
/// Throws if the time is below the bound.
void expect_above(const LowerBound& bound, Seconds time);

}  // namespace ringcast
