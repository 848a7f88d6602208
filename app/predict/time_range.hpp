#pragma once

#include <span>
#include <vector>

#include "app/common/cell_pool.hpp"
#include "app/predict/predict.hpp"
#include "sim/model/sim_report.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

// Messages that share links may amplify small differences in time, segments more often than whole
// chunks. A flow that begins later by d leaves another one alone on their link for that long, and
// that one ends earlier. In a schedule where each message waits for others, such differences grow
// from message to message, until the total time depends on delays that are not known to a
// nanosecond. A single number is then not a valid answer.
//
// Therefore a row whose messages share links, an all-reduce or an iteration of a training, is
// simulated a few more times, by fluid flows, with a random delay of up to a nanosecond for the
// messages of each stream. If the times differ by more than the fraction `least_range`, the row
// gets their range and the reason. The delays themselves make each step up to a nanosecond longer,
// less than that fraction of steps above a microsecond; because of shorter steps, differences of up
// to ten delays make no range.
//
// The time of a recurrence needs no range: its upper bound assumes that messages always share their
// links, and cannot be exceeded. Rows of so many messages that the simulation of all ranks would
// take seconds are not examined.

/// The reason by which simulate() marks a row for find_time_ranges().
inline constexpr const char* possible_range = "messages share links";
inline constexpr int delayed_simulations = 2;
/// The least relative difference that makes a range.
inline constexpr double least_range = 0.001;

/// Whether a time that is not from a recurrence is examined: the messages of the run share links
/// and are few enough. `messages`: the number that is expected.
[[nodiscard]] bool may_have_range(double messages, const SimReport& report,
                                  const TransferPaths& paths);

/// Sets the range of a row from the times of its simulations with delays; if the difference is
/// small, there is none.
void set_range(Row& row, std::span<const Seconds> delayed);

/// Simulates the outcomes' rows that may have a range `delayed_simulations` more times, and writes
/// the ranges into the outcomes. Returns those whose simulations were interrupted; these keep their
/// times.
[[nodiscard]] std::vector<FailedCell> find_time_ranges(std::vector<CellOutcome>& outcomes,
                                                       const std::vector<PlannedCell>& cells,
                                                       const Scenario& scenario,
                                                       const Topology& topology,
                                                       const PredictOptions& options);

}  // namespace ringcast
