#pragma once

#include <vector>

#include "app/config/scenario/result_cell.hpp"
#include "topology/routes/lower_bound.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

// Physically impossible results are internal errors and never printed: ContractViolation.

inline constexpr std::size_t most_link_loads = 32;
/// Every link that carried anything (carried_by_link), busiest first, at most so many. None carried
/// more than it can in this time.
[[nodiscard]] std::vector<LinkLoad> link_loads(const std::vector<Bytes>& carried, Seconds time,
                                               const TransferPaths& paths);
/// The time is no shorter than what bounds it.
void expect_above(const LowerBound& bound, Seconds time);

}  // namespace ringcast
