#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "app/predict/cached_machine.hpp"
#include "app/predict/cheapest_run.hpp"
#include "app/predict/idle_nics.hpp"
#include "app/predict/link_loads.hpp"
#include "app/predict/predict.hpp"
#include "app/predict/time_range.hpp"
#include "app/predict/trace.hpp"
#include "app/report/found_by.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/collectives/checked_data.hpp"
#include "engine/collectives/transfers.hpp"
#include "engine/numbers/error.hpp"
#include "sim/job/simulated_job.hpp"
#include "sim/model/link_load.hpp"
#include "topology/links/measured_constants.hpp"
#include "topology/routes/lower_bound.hpp"

namespace ringcast {
namespace {

/// The time in which the process with the most ranks of a node launches their kernels.
Seconds launch_floor(const TransferPaths& paths, int ranks) {
  const TransportProfile& profile = paths.profile();
  if (profile.gpus_per_process == 1) return Seconds{0};
  std::map<int, int> ranks_of_node;
  int most = 0;
  for (const int place : std::span{paths.places()}.first(static_cast<std::size_t>(ranks))) {
    const Vertex& vertex = paths.topology().cluster().vertex(place);
    most = std::max(most, ++ranks_of_node[vertex.node]);
  }
  const std::string_view launch = profile.tuner == Tuner::rccl ? hip_launch : kernel_launch;
  return Seconds{1e-6 * std::min(most, profile.gpus_per_process) *
                 measured_constant(launch, profile.left_out)};
}

/// The largest sum of a rank's message overheads: one processor handles all messages of a rank,
/// whereas the simulated streams pay their overheads concurrently. With a tuner (NCCL) each channel
/// has its own thread block.
Seconds sending_floor(const SimReport& report, const TransferPaths& paths) {
  if (paths.profile().tuner != Tuner::none) return Seconds{0};
  return most_of_a_sender(report.traffic, [&](const PairTraffic& pair) {
    return static_cast<double>(pair.messages) * paths.between(pair.from, pair.to).overhead;
  });
}

/// Sets the bounds of the row's time. `floor`: another lower bound.
void add_bounds(const Found& found, Seconds simulated, Seconds floor, Row& row) {
  if (found.most) row.time_max = std::max(row.time, *found.most);
  row.time_error_bound = found.error;
  if (found.error && floor > (1 - *found.error) * simulated) {
    row.time_error_bound = 1 - floor / row.time;
  }
  row.time_min = (1 - row.time_error_bound.value_or(0)) * row.time;
  // The bounds include what the lengths change.
  if (found.rounded_by >= least_printed_error && bounds_text(row).empty()) {
    row.found_by += fmt::format(", chunks up to {:.2g} % longer", 100 * found.rounded_by);
  }
}

/// If a hop between nodes costs a fraction of its latency (Protocol::crossings), every chunk has at
/// least one element, so that all ranks take all steps of a ring, as NCCL's do even for empty
/// chunks.
std::uint64_t simulated_elements(const PlannedCell& planned) {
  const Cell& cell = planned.cell;
  const std::uint64_t elements = element_count(cell);
  const bool shared = cell.algorithm == "ring" && planned.transport &&
                      std::ranges::any_of(planned.transport->protocols,
                                          [](const Protocol& each) { return each.crossings < 1; });
  const std::uint64_t slices =
      static_cast<std::uint64_t>(cell.ranks) * planned.options.channels.size();
  return shared && elements > 0 ? std::max(elements, slices) : elements;
}

SimOptions sim_options_of(const PlannedCell& planned, const PredictOptions& options,
                          const ReportProgress& report_progress) {
  SimOptions sim;
  sim.with_data = options.check;
  sim.traffic.record_messages = options.trace.has_value();
  const double expected = expected_message_count(planned);
  sim.traffic.progress = [&report_progress, expected](std::uint64_t delivered) {
    report_progress({std::min(1.0, static_cast<double>(delivered) / expected)});
  };
  sim.traffic.recorded = [&report_progress](double part) { report_progress({.recorded = part}); };
  sim.buffer = planned.cell.size;
  sim.delay_seed = options.delay_seed;
  sim.hosts = planned.hosts;
  return sim;
}

std::unique_ptr<Collective> collective_of(const PlannedCell& planned) {
  const std::string& name = planned.cell.algorithm;
  return is_transfer(name) ? make_transfer(name) : make_allreduce(name, planned.options);
}

/// One rank's program; `checked`: with data.
void run_rank(const Collective& collective, std::uint64_t elements, const Cell& cell, bool checked,
              RankContext& self) {
  const Rank me = self.network.rank();
  const Bytes size = elements * size_of(cell.reduction.type);
  const CheckedData data{self.memory.allocate(size), elements, cell.reduction, cell.ranks};
  checked = checked && index_of(me) < cell.ranks;
  if (checked) data.fill(self.memory, me);
  collective.run({data.buffer, elements}, self);
  if (checked) data.verify_allreduce(self.memory, me);
}

/// The row of a job that has run.
Row row_of(const PlannedCell& planned, const Scenario& scenario, const Found& found,
           const SimulatedJob& job) {
  const SimReport& report = job.report();
  const TransferPaths& paths = job.paths();
  Row row;
  row.cell = planned.cell;
  const bool transfers = is_transfer(row.cell.algorithm);
  const Seconds sending = transfers ? Seconds{0} : sending_floor(report, paths);
  const Seconds floor =
      transfers ? Seconds{0} : std::max(launch_floor(paths, row.cell.ranks), sending);
  const Seconds whole = std::max(report.time, floor);
  row.time = transfers ? report.time / static_cast<double>(consecutive_messages(row.cell.algorithm))
                       : whole;
  row.time_min = row.time_max = row.time;
  row.found_by = job.found_by();
  if (sending > report.time) row.found_by += ", overheads of a rank's messages";
  add_bounds(found, report.time, floor, row);
  for (const PairTraffic& pair : report.traffic) {
    row.messages += pair.messages;
  }
  row.sent_per_rank = most_sent(report.traffic);
  const std::vector<Bytes> carried = carried_by_link(report, paths);
  row.busiest = link_loads(carried, whole, paths);
  row.idle_nics = idle_nics(carried, whole, paths, planned, scenario);
  if (!transfers && !job.is_by_recurrence() &&
      may_have_range(expected_message_count(planned), report, paths)) {
    row.range_reason = possible_range;
  }
  return row;
}

}  // namespace

bool is_plain_rings(const PlannedCell& planned, std::size_t rings) {
  const Cell& cell = planned.cell;
  const double n = cell.ranks;
  const std::uint64_t elements = element_count(cell);
  return rings > 0 &&
         expected_message_count(planned) == 2 * n * (n - 1) * static_cast<double>(rings) &&
         elements >= static_cast<std::uint64_t>(cell.ranks) * rings;
}

Row simulate(const PlannedCell& planned, const Scenario& scenario, const Topology& any_size,
             const PredictOptions& options, const ReportProgress& report_progress) {
  const Cell& cell = planned.cell;
  if (options.check) expect_room_for_data(cell);
  const TransportProfile& transport = planned.transport ? *planned.transport : scenario.transport;
  const CachedMachine machine{any_size, transport.of_algorithm(cell.algorithm), cell.ranks,
                              cell.size};
  expect_runnable(planned, scenario);
  const std::unique_ptr<Collective> collective = collective_of(planned);
  expect(cell.size.count() % size_of(cell.reduction.type).count() == 0,
         "{} is no whole number of {}", to_text(cell.size), name_of(cell.reduction.type));
  SimulatedJob job{machine.topology(),
                   cell.ranks,
                   machine.transport(),
                   cell.reduction,
                   sim_options_of(planned, options, report_progress),
                   options.fidelity};
  job.on_recurrence([&](double messages) {
    report_progress({0, messages * work_per_ring_message});
  });
  const CellRun::Program program = [&](RankContext& self, std::uint64_t elements) {
    run_rank(*collective, elements, cell, options.check, self);
  };
  const Found found = run_cheapest({job, planned, simulated_elements(planned), program,
                                    options.most_messages, options.with_bounds, report_progress});

  const std::span<const int> places{job.paths().places()};
  const auto ranks = static_cast<std::size_t>(cell.ranks);
  const LowerBound bound = is_transfer(cell.algorithm)
                               ? LowerBound{}
                               : allreduce_lower_bound(machine.fastest(), places.first(ranks),
                                                       cell.size, places.subspan(ranks));
  expect_above(bound, job.report().time);
  if (options.trace) write_trace(*options.trace, job.report(), job.paths());
  Row row = row_of(planned, scenario, found, job);
  row.verified = options.check;
  row.lower_bound = bound.time;
  row.lower_bound_reason = bound.reason;
  return row;
}

}  // namespace ringcast
