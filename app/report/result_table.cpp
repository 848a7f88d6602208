#include <algorithm>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/report/result.hpp"
#include "app/report/sensitivity_table.hpp"
#include "app/report/text_table.hpp"
#include "engine/schedule/ring_cost.hpp"

namespace ringcast {
namespace {

/// A measurement has neither a bound nor cables.
bool has_physics(const std::vector<Row>& rows) {
  return std::ranges::any_of(
      rows, [](const Row& row) { return !row.lower_bound_reason.empty() || !row.busiest.empty(); });
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

/// To add a column, add a line.
std::vector<Column<Row>> allreduce_columns(const std::vector<Row>& rows) {
  using Shown = Column<Row>::Shown;
  std::vector<Column<Row>> columns{
      {"ranks", [](const Row& row) { return fmt::format("{}", row.cell.ranks); }},
      {"size", [](const Row& row) { return to_text(row.cell.size); }},
      {"data type", [](const Row& row) { return std::string{name_of(row.cell.reduction.type)}; },
       Shown::if_varied},
      {"operation",
       [](const Row& row) { return std::string{name_of(row.cell.reduction.operation)}; },
       Shown::if_varied},
      {"algorithm", [](const Row& row) { return algorithm_text(row.cell); }, Shown::if_varied},
      {"ring order", [](const Row& row) { return row.cell.ring_order; }, Shown::if_varied},
      {"time ms", [](const Row& row) { return milliseconds(row.time); }},
      {"algbw GB/s",
       [](const Row& row) {
         return gigabytes_per_s(algorithm_bandwidth(row.cell.size, row.time));
       }},
      {"busbw GB/s",
       [](const Row& row) {
         return gigabytes_per_s(bus_bandwidth(row.cell.ranks, row.cell.size, row.time));
       }},
  };
  if (std::ranges::any_of(rows, has_range)) {
    columns.push_back({"range ms", [](const Row& row) {
                         return has_range(row) ? fmt::format("{} .. {}", milliseconds(row.time_min),
                                                             milliseconds(row.time_max))
                                               : "-";
                       }});
  }
  if (has_physics(rows)) {
    columns.push_back({"bound ms", [](const Row& row) { return milliseconds(row.lower_bound); }});
    columns.push_back({"busy", [](const Row& row) {
                         return row.busiest.empty() ? "-"
                                                    : percent(row.busiest.front().utilisation, 0);
                       }});
    columns.push_back(
        {"bottleneck",
         [](const Row& row) { return row.busiest.empty() ? "-" : row.busiest.front().name; },
         Shown::always, true});
  }
  return columns;
}

/// How the rows were made, as far as it is known and the same for all.
std::string allreduce_conditions(const std::vector<Row>& rows) {
  const Cell& cell = rows.front().cell;
  const auto same = [&](const auto& part) {
    return std::ranges::all_of(rows, [&](const Row& row) { return part(row.cell) == part(cell); });
  };
  const bool one_algorithm = same([](const Cell& c) { return algorithm_text(c); });
  std::string text = one_algorithm && !cell.algorithm.empty() ? algorithm_text(cell) : "all-reduce";
  if (same([](const Cell& c) { return c.reduction.operation; })) {
    text += fmt::format(" {}", name_of(cell.reduction.operation));
  }
  if (same([](const Cell& c) { return c.reduction.type; })) {
    text += fmt::format(" of {}", name_of(cell.reduction.type));
  }
  text += cell.transport.empty() ? "" : fmt::format(", transport {}", cell.transport);
  if (cell.channels) {
    text +=
        fmt::format(", {}, {}", counted(*cell.channels, "channel"),
                    cell.segment_size ? fmt::format("segments of {}", to_text(*cell.segment_size))
                                      : std::string{"whole chunks"});
  }
  return text;
}

}  // namespace

std::string to_table(const Result& result) {
  const Provenance& from = result.provenance;
  std::string table =
      fmt::format("# ringcast {}: {}, {} with {}\n", from.program_version, from.scenario,
                  from.simulated ? "predicted" : "measured", from.backend);
  if (result.rows.empty()) {
    return table;
  }
  table += result.trains() ? training_table(result.rows)
                           : fmt::format("# {}\n", allreduce_conditions(result.rows)) +
                                 table_of(allreduce_columns(result.rows), result.rows) +
                                 reasons_of_ranges(result.rows);
  return table + explanation(result);
}

}  // namespace ringcast
