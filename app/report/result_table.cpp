#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/report/result.hpp"
#include "app/report/sensitivity_table.hpp"
#include "app/report/text_table.hpp"
#include "engine/schedule/ring_cost.hpp"

namespace ringcast {
namespace {

/// One column of the table. To add one, add a line to columns().
struct Column {
  std::string_view title;
  std::function<std::string(const AllreduceRow&)> text;
  enum class Shown { always, if_varied, if_known } shown = Shown::always;
};

/// Three digits after the point, so that columns line up and can be compared.
std::string in_unit(double value, double unit) {
  return fmt::format("{:.3f}", value / unit);
}

std::vector<Column> columns() {
  using Shown = Column::Shown;
  constexpr double ms = 1e-3;
  constexpr double gb = 1e9;
  return {
      {"ranks", [](const AllreduceRow& row) { return fmt::format("{}", row.cell.ranks); }},
      {"size", [](const AllreduceRow& row) { return to_text(row.cell.size); }},
      {"data type",
       [](const AllreduceRow& row) { return std::string{name_of(row.cell.reduction.type)}; },
       Shown::if_varied},
      {"operation",
       [](const AllreduceRow& row) { return std::string{name_of(row.cell.reduction.operation)}; },
       Shown::if_varied},
      {"algorithm", [](const AllreduceRow& row) { return row.cell.algorithm; }, Shown::if_varied},
      {"ring order", [](const AllreduceRow& row) { return row.cell.ring_order; }, Shown::if_varied},
      {"time ms", [](const AllreduceRow& row) { return in_unit(row.time.count(), ms); }},
      {"algbw GB/s",
       [](const AllreduceRow& row) {
         return in_unit(algorithm_bandwidth(row.cell.size, row.time).value(), gb);
       }},
      {"busbw GB/s",
       [](const AllreduceRow& row) {
         return in_unit(bus_bandwidth(row.cell.ranks, row.cell.size, row.time).value(), gb);
       }},
      {"bound ms", [](const AllreduceRow& row) { return in_unit(row.lower_bound.count(), ms); },
       Shown::if_known},
      {"busy",
       [](const AllreduceRow& row) {
         return row.busiest.empty()
                    ? std::string{"-"}
                    : fmt::format("{:.0f} %", 100 * row.busiest.front().utilisation);
       },
       Shown::if_known},
      {"bottleneck",
       [](const AllreduceRow& row) {
         return row.busiest.empty() ? std::string{"-"} : row.busiest.front().name;
       },
       Shown::if_known},
  };
}

/// How the rows were made, as far as it is known and the same for all.
std::string conditions(const std::vector<AllreduceRow>& rows) {
  const Cell& cell = rows.front().cell;
  const auto same = [&](const auto& part) {
    return std::ranges::all_of(
        rows, [&](const AllreduceRow& row) { return part(row.cell) == part(cell); });
  };
  const bool one_algorithm = same([](const Cell& c) { return c.algorithm; });
  std::string text = one_algorithm && !cell.algorithm.empty() ? cell.algorithm : "all-reduce";
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

/// A measurement has neither a bound nor cables.
bool has_physics(const std::vector<AllreduceRow>& rows) {
  return std::ranges::any_of(rows, [](const AllreduceRow& row) {
    return !row.lower_bound_reason.empty() || !row.busiest.empty();
  });
}

}  // namespace

std::string to_table(const Result& result) {
  const Provenance& from = result.provenance;
  std::string table =
      fmt::format("# ringcast {}: {}, {} with {}\n", from.program_version, from.scenario,
                  from.simulated ? "predicted" : "measured", from.backend);
  if (!result.training.empty()) {
    return table + to_table(result.training) + explanation(result);
  }
  if (result.rows.empty()) {
    return table;
  }
  std::vector<TableColumn> shown;
  for (const Column& column : columns()) {
    TableColumn filled{std::string{column.title}, {}, column.title == "bottleneck"};
    for (const AllreduceRow& row : result.rows) {
      filled.texts.push_back(column.text(row));
    }
    if ((column.shown == Column::Shown::if_varied && all_alike(filled.texts)) ||
        (column.shown == Column::Shown::if_known && !has_physics(result.rows))) {
      continue;
    }
    shown.push_back(std::move(filled));
  }
  return table + fmt::format("# {}\n", conditions(result.rows)) + laid_out(shown) +
         explanation(result);
}

}  // namespace ringcast
