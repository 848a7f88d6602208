#include "app/measure/measurement.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/common/mapped.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/available_memory.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

bool is_measured_only(const std::string& algorithm) {
  const std::vector<std::string>& names = measured_only_names();
  return std::ranges::find(names, algorithm) != names.end();
}

void expect_measurable(const Scenario& scenario) {
  const bool serves =
      std::ranges::find(scenario.algorithms, "parameter-server") != scenario.algorithms.end();
  if (scenario.servers_on_hosts && serves) {
    throw ScenarioError{
        "parameter_servers: servers that are no ranks can only be predicted (expected on: gpu)"};
  }
  const ElementType type = scenario.reduction.type;
  const bool half = type == ElementType::float16 || type == ElementType::bfloat16;
  if (half && std::ranges::find(scenario.algorithms, "mpi") != scenario.algorithms.end()) {
    throw ScenarioError{
        fmt::format("algorithm: MPI has no {} (expected float32, float64, int32 or int64 for mpi)",
                    name_of(type))};
  }
}

/// Removes ring order, channels and segments from a cell of another library's algorithm. False for
/// all but one of the cells that are equal then.
bool keep(PlannedCell& planned, const Scenario& scenario) {
  Cell& cell = planned.cell;
  if (!is_measured_only(cell.algorithm)) {
    return true;
  }
  const bool first = cell.ring_order == scenario.ring_orders.front().name &&
                     (scenario.channels.empty() || cell.channels == scenario.channels.front());
  cell.ring_order.clear();
  cell.channels.reset();
  cell.segment_size.reset();
  return first;
}

bool has_several_hosts(const std::vector<int>& node_of) {
  return std::ranges::adjacent_find(node_of, std::ranges::not_equal_to{}) != node_of.end();
}

/// In addition to the buffer, by the algorithm and by the backend; zero for another library's.
Bytes scratch_of(const PlannedCell& planned, std::uint64_t elements, bool shares_memory) {
  const std::string& algorithm = planned.cell.algorithm;
  const std::vector<std::string>& ours = allreduce_names();
  if (std::ranges::find(ours, algorithm) == ours.end()) return Bytes{};
  const CollectiveOptions& options = planned.options;
  const Bytes width = size_of(planned.cell.reduction.type);
  const bool receives_apart =
      planned.cell.ranks > 1 && (!shares_memory || has_several_hosts(options.node_of));
  return allreduce_scratch(algorithm, options, elements, width) +
         (receives_apart ? elements * width : Bytes{});
}

}  // namespace

std::vector<PlannedTraining> plan_measurement(const Scenario& scenario,
                                              const std::vector<int>& node_of) {
  expect_measurable(scenario);
  std::vector<PlannedCell> cells;
  for (PlannedCell& planned : plan(scenario, node_of)) {
    planned.cell.transport = "mpi";
    if (keep(planned, scenario)) {
      cells.push_back(std::move(planned));
    }
  }
  return scenario.training ? plan_training(scenario, cells)
                           : mapped(cells, [](const PlannedCell& planned) {
                               return PlannedTraining{planned, {}, 0};
                             });
}

Row measure_cell(Transport& transport, const Collective& collective, const PlannedCell& planned,
                 const TimingOptions& options, const ReportRuns& report) {
  const Cell& cell = planned.cell;
  const std::uint64_t width = size_of(cell.reduction.type).count();
  Row row;
  row.cell = cell;
  transport.run([&](RankContext& self) {
    const bool first = self.network.rank() == Rank{0};
    const CheckedData data{self.memory.allocate(cell.size), cell.size.count() / width,
                           cell.reduction, cell.ranks};
    const Timing timing =
        time_collective(self, collective, data, options, first ? report : ReportRuns{});
    if (first) {
      const TimeSummary summary = summary_of(timing.times);
      row.time = summary.median;
      row.time_min = summary.min;
      row.time_max = summary.max;
      row.verified = timing.verified;
    }
  });
  return row;
}

Bytes memory_of(const PlannedTraining& planned, bool shares_memory) {
  const Cell& cell = planned.cell;
  std::uint64_t largest = cell.training ? 0 : element_count(cell);
  for (const Bucket& bucket : planned.step.buckets) {
    largest = std::max(largest, bucket.elements);
  }
  const std::uint64_t buffers = planned.step.weights_before_forward ? 2 : 1;
  return buffers * cell.size + scratch_of(planned, largest, shares_memory);
}

std::string memory_shortage(Bytes each, int ranks, const std::string& place, Bytes available) {
  const double needed = static_cast<double>(ranks) * static_cast<double>(each.count());
  if (has_room(available, needed)) return "";
  return fmt::format(
      "{} on {} need {} each, and {} are available there (expected a smaller size, "
      "fewer ranks, or another algorithm)",
      counted(ranks, "rank"), place, to_text(each), to_text(available));
}

}  // namespace ringcast
