#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/common/counted.hpp"
#include "app/report/found_by.hpp"
#include "app/report/provenance.hpp"
#include "app/report/result.hpp"
#include "app/report/sensitivity_table.hpp"
#include "app/report/text_table.hpp"
#include "engine/schedule/bus_bandwidth.hpp"

namespace ringcast {
namespace {

/// Whether rows have a bound or link loads, as those of predictions.
bool has_physics(const std::vector<Row>& rows) {
  return std::ranges::any_of(rows, [](const Row& row) { return !row.lower_bound_reason.empty(); });
}

bool is_chosen(const std::vector<Row>& rows) {
  return std::ranges::any_of(rows, [](const Row& row) { return row.cell.is_chosen; });
}

/// A note on the algorithms that do not use channels, but have rows that differ in them only.
std::string channels_note(const std::vector<Row>& rows) {
  std::vector<std::string> without;
  for (const Row& row : rows) {
    if (uses_channels(row.cell)) continue;
    const bool differs = std::ranges::any_of(rows, [&row](const Row& other) {
      if (other.cell.channels == row.cell.channels) return false;
      Cell cell = other.cell;
      cell.channels = row.cell.channels;
      return to_text(cell) == to_text(row.cell);
    });
    const bool is_known = std::ranges::find(without, row.cell.algorithm) != without.end();
    if (differs && !is_known) without.push_back(row.cell.algorithm);
  }
  return without.empty() ? ""
                         : fmt::format("# the number of channels changes nothing for {}\n",
                                       fmt::join(without, ", "));
}

bool has_range(const Row& row) {
  return !row.range_reason.empty();
}

std::string reasons_of_ranges(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    if (has_range(row)) {
      text += fmt::format("# {}: {}\n", to_text(row.cell), row.range_reason);
    }
  }
  return text;
}

/// The remedy for bounds that say little, of jobs that all ranks can be simulated of.
std::string remedy_for_bounds(const std::vector<Row>& rows) {
  constexpr double wide = 0.1;
  constexpr std::uint64_t minutes = 100'000'000;  // messages
  const bool is_wide = std::ranges::any_of(rows, [](const Row& row) {
    return row.found_by.starts_with("folded") && row.messages < minutes &&
           std::max(row.time_error_bound.value_or(0), row.time_max / row.time - 1) > wide;
  });
  return is_wide ? "# bounds above 10 %: --fidelity simulated has none, but takes longer\n" : "";
}

/// Whether repetitions, runs of a log, or ranks took different times.
bool has_spread(const Row& row) {
  return row.lower_bound_reason.empty() && row.time_min < row.time_max;
}

std::string range_text(const Row& row) {
  return row.time_min < row.time_max ? milliseconds_between(row.time_min, row.time_max) : "-";
}

std::string utilisation_text(const Row& row) {
  return row.busiest.empty() ? "-" : percent(row.busiest.front().utilisation, 0);
}

std::string bottleneck_text(const Row& row) {
  return row.busiest.empty() ? "-" : row.busiest.front().name;
}

/// To add a column, add a line.
std::vector<Column<Row>> allreduce_columns(const std::vector<Row>& rows) {
  const bool chosen = is_chosen(rows);
  std::vector<Column<Row>> columns{
      {"ranks", &Cell::ranks},
      {"size", [](const Cell& cell) { return to_text(cell.size); }},
      {"data type", [](const Cell& cell) { return name_of(cell.reduction.type); },
       Hidden::if_alike},
      {"operation", [](const Cell& cell) { return name_of(cell.reduction.operation); },
       Hidden::if_alike},
      {"algorithm",
       [chosen, partly = is_partly_chosen(rows)](const Cell& cell) {
         return (chosen ? chosen_text(cell) : algorithm_text(cell)) +
                (partly && cell.is_chosen ? " (auto)" : "");
       },
       chosen ? Hidden::never : Hidden::if_alike},
      {"ring order", &Cell::ring_order, Hidden::if_alike},
      {"channels", [chosen](const Cell& cell) { return chosen ? "" : channels_text(cell); },
       Hidden::if_alike},
      {"segments",
       [](const Cell& cell) { return cell.segment_size ? to_text(*cell.segment_size) : "whole"; },
       Hidden::if_alike},
      {"time ms", time_text},
      {"algbw GB/s", [](const Row& row) { return gigabytes_per_s(row.algbw()); }},
      {"busbw GB/s", [](const Row& row) { return gigabytes_per_s(row.busbw()); }},
  };
  const bool varies =
      std::ranges::any_of(rows, [](const Row& row) { return has_range(row) || has_spread(row); });
  if (varies) columns.push_back({"range ms", range_text});
  if (has_physics(rows)) {
    columns.push_back({"bound ms", [](const Row& row) { return milliseconds(row.lower_bound); }});
    columns.push_back({"busy", utilisation_text});
    if (std::ranges::any_of(rows, tells_how_found)) {
      columns.push_back({"found by", found_by_text, Hidden::never, true});
    }
    columns.push_back({"bottleneck", bottleneck_text, Hidden::never, true});
  }
  return columns;
}

/// The parameters that all rows share, as far as known.
std::string allreduce_conditions(const std::vector<Row>& rows) {
  const Cell& cell = rows.front().cell;
  const bool chosen = is_chosen(rows);
  const std::string algorithm = chosen ? "" : common(rows, algorithm_text);
  std::string text = algorithm.empty() ? "all-reduce" : algorithm;
  text += common(rows,
                 [](const Cell& c) { return fmt::format(" {}", name_of(c.reduction.operation)); });
  text +=
      common(rows, [](const Cell& c) { return fmt::format(" of {}", name_of(c.reduction.type)); });
  text += cell.transport.empty() ? "" : fmt::format(", transport {}", cell.transport);
  if (cell.channels) {
    const bool any_divides =
        std::ranges::any_of(rows, [](const Row& row) { return uses_channels(row.cell); });
    if (!chosen && any_divides && !common(rows, channels_text).empty())
      text += fmt::format(", {}", counted(*cell.channels, "channel"));
    text += common(rows, [chosen](const Cell& each) -> std::string {
      if (each.segment_size) return fmt::format(", segments of {}", to_text(*each.segment_size));
      return chosen ? "" : ", whole chunks";
    });
  }
  return text;
}

std::string idle_note(const IdleNics& nics, std::size_t count, std::size_t of) {
  return fmt::format("# {} of {} NICs{} {} no traffic{}{}\n", nics.idle, nics.nics,
                     nics.in_each_node ? " of each node" : "", nics.idle == 1 ? "carries" : "carry",
                     count == of ? "" : fmt::format(" in {} of {} rows", count, of),
                     nics.remedy.empty() ? "" : ": " + nics.remedy);
}

double idle_part(const Row& row) {
  const auto idle = [](const IdleNics& nics) { return 1.0 * nics.idle / nics.nics; };
  return row.idle_nics.empty() ? 0 : idle(row.idle_nics.front());
}

/// Whether the table has a row that differs in rings or channels and has fewer idle NICs.
bool has_busy_counterpart(const Row& row, const std::vector<Row>& rows) {
  return std::ranges::any_of(rows, [&row](const Row& other) {
    return idle_part(other) < idle_part(row) && other.cell.ranks == row.cell.ranks &&
           other.cell.size == row.cell.size && other.cell.algorithm == row.cell.algorithm;
  });
}

/// Each note once, with its number of rows if that is not all. Options that the table compares are
/// not recommended.
std::string idle_notes(const std::vector<Row>& rows) {
  std::vector<std::pair<IdleNics, std::size_t>> notes;
  for (const Row& row : rows) {
    for (IdleNics nics : row.idle_nics) {
      if (has_busy_counterpart(row, rows)) nics.remedy.clear();
      auto known = std::ranges::find(notes, nics, &std::pair<IdleNics, std::size_t>::first);
      if (known == notes.end()) known = notes.insert(known, {nics, 0});
      ++known->second;
    }
  }
  std::string lines;
  for (const auto& [nics, count] : notes)
    lines += idle_note(nics, count, rows.size());
  return lines;
}

}  // namespace

bool is_partly_chosen(const std::vector<Row>& rows) {
  return is_chosen(rows) &&
         !std::ranges::all_of(rows, [](const Row& row) { return row.cell.is_chosen; });
}

std::optional<BytesPerSecond> Row::algbw() const {
  if (cell.ranks < 2) return std::nullopt;
  return algorithm_bandwidth(cell.size, time);
}

std::optional<BytesPerSecond> Row::busbw() const {
  return bus_bandwidth_of(cell, time);
}

std::optional<BytesPerSecond> bus_bandwidth_of(const Cell& cell, Seconds time) {
  if (cell.ranks < 2) return std::nullopt;
  return bus_bandwidth(cell.ranks, cell.size, time);
}

std::string to_table(const Result& result) {
  const Provenance& from = result.provenance;
  std::string table =
      fmt::format("# ringcast {}: {}, {}\n", from.program_version, from.scenario, how(from));
  if (result.rows.empty()) {
    return table;
  }
  table += result.trains() ? training_table(result.rows)
                           : fmt::format("# {}\n", allreduce_conditions(result.rows)) +
                                 table_of(allreduce_columns(result.rows), result.rows) +
                                 channels_note(result.rows) + idle_notes(result.rows) +
                                 remedy_for_bounds(result.rows);
  return table + reasons_of_ranges(result.rows) + explanation(result);
}

}  // namespace ringcast
