#include <algorithm>

#include <fmt/ranges.h>

#include "app/common/counted.hpp"
#include "app/report/ring_comparison.hpp"
#include "app/report/text_table.hpp"
#include "engine/schedule/bus_bandwidth.hpp"

namespace ringcast {
namespace {

/// One line of the table.
struct OrderLine {
  const RingComparison& comparison;
  const ComparedMachine& machine;
  const ComparedRings& order;
};

std::string bottlenecks(const OrderLine& line) {
  const std::vector<std::string> names = bottlenecks_of(line.machine, line.order);
  if (names.empty()) return "-";
  return names.size() == 1 ? names.front()
                           : fmt::format("{} and {} more", names.front(), names.size() - 1);
}

std::string gain(const OrderLine& line) {
  const Cell& cell = line.comparison.cell;
  const double own = busbw_of(line.order, cell).value();
  const double naive = busbw_of(line.machine.orders.front(), cell).value();
  return naive > 0 ? fmt::format("{:.2f} x", own / naive) : "-";
}

std::vector<Column<OrderLine>> ring_columns(bool predicted) {
  const Hidden unless_predicted = predicted ? Hidden::never : Hidden::if_alike;
  return {
      {"machine",
       [](const OrderLine& line) { return line.machine.changes.empty() ? "whole" : "degraded"; },
       Hidden::if_alike, true},
      {"ring order", [](const OrderLine& line) { return line.order.name; }, Hidden::never, true},
      {"rings",
       [](const OrderLine& line) { return fmt::format("{}", line.order.found.rings.size()); }},
      {"time ms",
       [](const OrderLine& line) {
         return line.order.row ? milliseconds(line.order.row->time) : "-";
       },
       unless_predicted},
      {"busbw GB/s",
       [](const OrderLine& line) {
         const Cell& cell = line.comparison.cell;
         return line.order.row && cell.ranks > 1 ? gigabytes_per_s(busbw_of(line.order, cell))
                                                 : "-";
       },
       unless_predicted},
      {"links GB/s",
       [](const OrderLine& line) {
         const BytesPerSecond busbw = line.order.found.busbw;
         return busbw == BytesPerSecond{0} ? "-" : gigabytes_per_s(busbw);
       }},
      {"gain", gain},
      {"bottleneck", bottlenecks, Hidden::never, true},
  };
}

std::string bound_line(std::string_view of, const BandwidthBound& bound) {
  const bool is_none = bound.busbw == BytesPerSecond{0};
  return fmt::format("# bound of {}: {}: {}\n", of,
                     is_none ? "none" : gigabytes_per_s(bound.busbw) + " GB/s", bound.reason);
}

std::string proof_line(const RingComparison& comparison, const ComparedRings& best) {
  return best.found.proved_optimal
             ? fmt::format("# {}: proved optimal for {}\n", best.name,
                           counted(best.found.rings.size(), "ring"))
             : fmt::format("# {}: the best rings of a search with seed {}, not proved optimal\n",
                           best.name, comparison.search.seed);
}

std::string left_out_line(const RingComparison& comparison) {
  return comparison.left_out == 0
             ? ""
             : fmt::format(
                   "# {} not predicted: a simulation of so many messages takes long "
                   "(ringcast predict --ring searched runs it)\n",
                   counted(comparison.left_out, "order"));
}

/// The bandwidth that a degradation leaves to the rings that were best before, and to the best now.
std::string loss_lines(const RingComparison& comparison) {
  const auto busbw = [&](const ComparedRings& order) {
    return busbw_of(order, comparison.cell).value();
  };
  const double before = busbw(comparison.machines.front().orders.back());
  const ComparedMachine& degraded = comparison.machines.back();
  std::string text;
  for (const std::string& change : degraded.changes)
    text += fmt::format("# degraded: {}\n", change);
  for (const ComparedRings& order : degraded.orders) {
    if (order.name.starts_with("searched") && before > 0) {
      text += fmt::format("# {}: {} % of the busbw on the whole machine\n", order.name,
                          signed_percent(busbw(order) / before - 1));
    }
  }
  return text;
}

}  // namespace

BytesPerSecond busbw_of(const ComparedRings& order, const Cell& cell) {
  return order.row ? bus_bandwidth(cell.ranks, cell.size, order.row->time) : order.found.busbw;
}

std::vector<std::string> bottlenecks_of(const ComparedMachine& machine,
                                        const ComparedRings& order) {
  constexpr double alike = 0.999;
  std::vector<std::string> names;
  if (order.row && !order.row->busiest.empty()) {
    const double most = order.row->busiest.front().utilisation;
    for (const LinkLoad& load : order.row->busiest) {
      if (load.utilisation >= alike * most) names.push_back(load.name);
    }
  } else if (order.found.busbw.value() > 0) {
    names.push_back(machine.topology->name_of(order.bottleneck));
  }
  return names;
}

std::string to_table(const RingComparison& comparison) {
  const Cell& cell = comparison.cell;
  std::vector<OrderLine> lines;
  bool predicted = false;
  for (const ComparedMachine& machine : comparison.machines) {
    for (const ComparedRings& order : machine.orders) {
      lines.push_back({comparison, machine, order});
      predicted = predicted || order.row;
    }
  }
  const ComparedMachine& last = comparison.machines.back();
  return fmt::format("# ringcast {}: {}, ring orders{}\n# {} of {}, {}, {}, transport {}\n",
                     comparison.provenance.program_version, comparison.provenance.scenario,
                     predicted ? " predicted" : "", algorithm_text(cell),
                     name_of(cell.reduction.type), counted(cell.ranks, "rank"), to_text(cell.size),
                     cell.transport) +
         table_of(ring_columns(predicted), lines) + "#\n" + bound_line("rings", last.ring_bound) +
         bound_line("sums on the ranks", last.algorithm_bound) +
         proof_line(comparison, last.orders.back()) + left_out_line(comparison) +
         (comparison.machines.size() > 1 ? loss_lines(comparison) : "");
}

}  // namespace ringcast
