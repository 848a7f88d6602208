#include "app/predict/time_range.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "app/common/mapped.hpp"
#include "app/predict/cell_identity.hpp"
#include "app/report/json_text.hpp"
#include "engine/numbers/error.hpp"
#include "sim/model/link_load.hpp"
#include "sim/model/message_cost.hpp"

namespace ringcast {
namespace {

constexpr std::string_view not_delayed = "not simulated with delays";

/// The sum of the delays of a few successive messages.
constexpr Seconds most_added_delays = 10 * most_delay;

/// One more simulation of a cell.
struct Delayed {
  std::size_t cell;
  std::uint64_t seed;
};

std::vector<Delayed> delayed_cells(const std::vector<CellOutcome>& outcomes,
                                   const std::vector<PlannedCell>& cells) {
  std::vector<Delayed> all;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].succeeded() &&
        row_from_outcome(cells[i].cell, outcomes[i].text).range_reason == possible_range) {
      for (int seed = 1; seed <= delayed_simulations; ++seed) {
        all.push_back({i, static_cast<std::uint64_t>(seed)});
      }
    }
  }
  return all;
}

void set_range_of_outcomes(Row& row, std::span<const CellOutcome> delayed) {
  const auto failed = std::ranges::find(delayed, false, &CellOutcome::succeeded);
  if (failed != delayed.end()) {
    row.range_reason =
        fmt::format("{}; {}: {}", possible_range, not_delayed,
                    failed->exit_code == Interrupted::code ? "interrupted" : failed->text);
    return;
  }
  set_range(row,
            mapped(delayed, [](const CellOutcome& each) { return Seconds{std::stod(each.text)}; }));
}

}  // namespace

void set_range(Row& row, std::span<const Seconds> delayed) {
  for (const Seconds time : delayed) {
    row.time_min = std::min(row.time_min, time);
    row.time_max = std::max(row.time_max, time);
  }
  const Seconds difference = row.time_max - row.time_min;
  const double range = difference / row.time;
  if (range > least_range && difference > most_added_delays) {
    row.range_reason =
        fmt::format("{}, and delays of up to {} per message change the time by {:.1f} %",
                    possible_range, to_text(most_delay), 100 * range);
  } else {
    row.time_min = row.time_max = row.time;
    row.range_reason.clear();
  }
}

bool may_have_range(double messages, const SimReport& report, const TransferPaths& paths) {
  constexpr double most_messages = 3e5;
  constexpr double most_shares = 4e7;  // messages x pairs of ranks: seconds if each concerns all
  return messages <= most_messages &&
         messages * static_cast<double>(report.traffic.size()) <= most_shares &&
         streams_share_links(report, paths);
}

std::vector<FailedCell> find_time_ranges(std::vector<CellOutcome>& outcomes,
                                         const std::vector<PlannedCell>& cells,
                                         const Scenario& scenario, const Topology& topology,
                                         const PredictOptions& options) {
  const std::vector<Delayed> simulations = delayed_cells(outcomes, cells);
  const std::vector<PlannedCell> planned =
      mapped(simulations, [&](const Delayed& each) { return cells[each.cell]; });
  const auto work = [&](std::size_t i, const ReportProgress& report) {
    PredictOptions delayed = options;
    delayed.check = false;
    delayed.trace = std::nullopt;
    delayed.fidelity = Fidelity::cheapest;
    delayed.delay_seed = simulations[i].seed;
    return fmt::format("{}",
                       simulate(planned[i], scenario, topology, delayed, report).time.count());
  };
  const CellIdentities identities{scenario, Fidelity::cheapest};
  const CellMemory memory{
      options.kept,
      [&](std::size_t i) {
        return fmt::format("delays {} of {}", simulations[i].seed, key_of(planned[i].cell));
      },
      cache_of(options),
      [&](std::size_t i) { return identities.of(planned[i], simulations[i].seed); }};
  const std::vector<CellOutcome> delayed =
      run_cells(simulations.size(), options.jobs, work, progress_of(planned, options), memory);
  std::vector<FailedCell> interrupted;
  for (std::size_t i = 0; i < simulations.size(); i += delayed_simulations) {
    const std::size_t cell = simulations[i].cell;
    const auto of_row = std::span{delayed}.subspan(i, delayed_simulations);
    if (any_interrupted(of_row)) {
      interrupted.push_back(
          {cells[cell].cell, fmt::format("{}: interrupted", not_delayed), Interrupted::code});
    }
    Row row = row_from_outcome(cells[cell].cell, outcomes[cell].text);
    set_range_of_outcomes(row, of_row);
    outcomes[cell].text = checked_outcome(row);
  }
  return interrupted;
}

}  // namespace ringcast
