#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "engine/ring_cost.hpp"
#include "scenarios/result.hpp"
#include "scenarios/sensitivity.hpp"

namespace ringcast {
namespace {

/// One column of the table. To add one, add a line to columns().
struct Column {
  std::string_view title;
  std::function<std::string(const AllreduceRow&)> text;
  bool only_if_varied = false;  // left out where all rows say the same
};

/// Three digits after the point, so that columns line up and can be compared.
std::string in_unit(double value, double unit) {
  return fmt::format("{:.3f}", value / unit);
}

std::vector<Column> columns() {
  constexpr double ms = 1e-3;
  constexpr double gb = 1e9;
  return {
      {"ranks", [](const AllreduceRow& row) { return fmt::format("{}", row.cell.ranks); }},
      {"size", [](const AllreduceRow& row) { return to_text(row.cell.size); }},
      {"algorithm", [](const AllreduceRow& row) { return row.cell.algorithm; }, true},
      {"ring order", [](const AllreduceRow& row) { return row.cell.ring_order; }, true},
      {"time ms", [](const AllreduceRow& row) { return in_unit(row.time.count(), ms); }},
      {"algbw GB/s",
       [](const AllreduceRow& row) {
         return in_unit(algorithm_bandwidth(row.cell.size, row.time).value(), gb);
       }},
      {"busbw GB/s",
       [](const AllreduceRow& row) {
         return in_unit(bus_bandwidth(row.cell.ranks, row.cell.size, row.time).value(), gb);
       }},
      {"bound ms", [](const AllreduceRow& row) { return in_unit(row.lower_bound.count(), ms); }},
      {"busy",
       [](const AllreduceRow& row) {
         return row.busiest.empty()
                    ? std::string{"-"}
                    : fmt::format("{:.0f} %", 100 * row.busiest.front().utilisation);
       }},
      {"bottleneck",
       [](const AllreduceRow& row) {
         return row.busiest.empty() ? std::string{"-"} : row.busiest.front().name;
       }},
  };
}

bool same_in_all(const std::vector<std::string>& texts) {
  return std::all_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text == texts.front(); });
}

std::string heading(const Result& result) {
  const Provenance& from = result.provenance;
  std::string text =
      fmt::format("# ringcast {}: {}, {} with {}\n", from.program_version, from.scenario,
                  from.simulated ? "predicted" : "measured", from.backend);
  if (!result.rows.empty()) {
    const Cell& cell = result.rows.front().cell;
    const bool one_algorithm = std::ranges::all_of(
        result.rows, [&](const AllreduceRow& row) { return row.cell.algorithm == cell.algorithm; });
    text += fmt::format(
        "# {} {} of {}, transport {}, {} channel{}, {}\n",
        one_algorithm ? cell.algorithm : "all-reduce", name_of(cell.reduction.operation),
        name_of(cell.reduction.type), cell.transport, cell.channels, cell.channels == 1 ? "" : "s",
        cell.segment_size ? fmt::format("segments of {}", to_text(*cell.segment_size))
                          : std::string{"whole chunks"});
  }
  return text;
}

}  // namespace

std::string to_text(const Cell& cell) {
  return fmt::format("{} ranks, {}, {}, {}", cell.ranks, to_text(cell.size), cell.algorithm,
                     cell.ring_order);
}

std::string to_table(const Result& result) {
  std::string table = heading(result);
  if (result.rows.empty()) {
    return table;
  }
  std::vector<std::string> lines(result.rows.size() + 1, "#");
  std::fill(lines.begin() + 1, lines.end(), " ");
  for (const Column& column : columns()) {
    std::vector<std::string> texts;
    std::size_t width = column.title.size();
    for (const AllreduceRow& row : result.rows) {
      texts.push_back(column.text(row));
      width = std::max(width, texts.back().size());
    }
    if (column.only_if_varied && same_in_all(texts)) {
      continue;
    }
    // Names are easier to read from the left, numbers from the right.
    const bool left = column.title == "bottleneck";
    lines.front() +=
        left ? fmt::format("  {}", column.title) : fmt::format(" {:>{}}", column.title, width + 1);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      lines[i + 1] +=
          left ? fmt::format("  {}", texts[i]) : fmt::format(" {:>{}}", texts[i], width + 1);
    }
  }
  for (const std::string& line : lines) {
    table += line + '\n';
  }
  return table + explanation(result);
}

}  // namespace ringcast
