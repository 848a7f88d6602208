#pragma once

#include <vector>

#include "app/common/cell_pool.hpp"
#include "app/predict/predict.hpp"
#include "sim/model/sim_report.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

// Messages that share links may amplify a difference in time, segments more often than whole
// chunks. A flow that begins later by d leaves another alone on their link for that long, and that
// one then ends earlier; in a schedule where each message waits for others, such differences grow
// from message to message, until the total time depends on delays that are not known to a
// nanosecond. A single number is then not a valid answer.
//
// Therefore a row whose messages share links is simulated a few times more, by fluid flows, with
// messages delayed by up to a nanosecond, by a different part of it for each stream. If the times
// differ by more than the part below, the row gets their range and the reason. The delays by
// themselves make each step up to a nanosecond longer, which is a smaller part of steps above a
// microsecond; shorter steps exist, so differences of up to ten delays make no range.
//
// The time of a recurrence needs no such range: its upper bound is the time if messages share
// their links at all times, and only falls if they do not. Rows of so many messages that this would
// take seconds on all ranks are not examined.

/// As the reason of a row that simulate() has just made: find_time_ranges is to look for a range.
inline constexpr const char* possible_range = "messages share links";
inline constexpr int delayed_simulations = 2;
/// The least part of the time that makes a range.
inline constexpr double least_range = 0.001;

/// Whether a cell whose time is not from a recurrence is to be examined: its messages share links,
/// and are few enough.
[[nodiscard]] bool may_have_range(const PlannedCell& planned, const SimReport& report,
                                  const TransferPaths& paths);

/// Simulates the rows among the outcomes that may have a range, again and again, and writes the
/// ranges into the outcomes. Returns those whose simulations were interrupted; their times stand.
[[nodiscard]] std::vector<FailedCell> find_time_ranges(std::vector<CellOutcome>& outcomes,
                                                       const std::vector<PlannedCell>& cells,
                                                       const Scenario& scenario,
                                                       const Topology& topology,
                                                       const PredictOptions& options);

}  // namespace ringcast
