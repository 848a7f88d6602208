#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "app/predict/cached_machine.hpp"
#include "app/predict/idle_cards.hpp"
#include "app/predict/link_loads.hpp"
#include "app/predict/predict.hpp"
#include "app/predict/time_range.hpp"
#include "app/predict/trace.hpp"
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

using Program = std::function<void(RankContext&, std::uint64_t elements)>;

/// A cell as a job.
struct CellRun {
  SimulatedJob& job;
  const PlannedCell& planned;
  std::uint64_t elements;
  const Program& program;
  double most_messages;
  const ReportProgress& report;

  [[nodiscard]] RankProgram of(std::uint64_t count) const {
    return [this, count](RankContext& self) { program(self, count); };
  }
  [[nodiscard]] int ranks() const { return job.paths().ranks(); }
  [[nodiscard]] double part(int classes) const { return static_cast<double>(classes) / ranks(); }
  [[nodiscard]] std::optional<double> by_recurrence(std::uint64_t count,
                                                    SimulatedJob::RecurrenceLimits most) const {
    if (is_transfer(planned.cell.algorithm)) return std::nullopt;
    const std::vector<RingOrder> rings = concurrent_rings(planned.cell.algorithm, planned.options);
    if (!is_plain_rings(planned, rings.size())) return std::nullopt;
    return job.find_by_recurrence(rings, count, most);
  }
  [[nodiscard]] std::uint64_t chunks() const {
    const std::string& algorithm = planned.cell.algorithm;
    return is_transfer(algorithm) ? 1 : allreduce_chunk_count(algorithm, planned.options);
  }
  [[nodiscard]] bool is_even() const { return elements % chunks() == 0; }
};

/// How a time was found.
struct Found {
  std::optional<double> error =
      0.0;                // the part of it by which it may be too long, if that is known
  double rounded_by = 0;  // the part by which some chunks were too long: all as the longest
  std::optional<Seconds> most = {};  // if the time may be too short: what it is at most
};

/// Rings of so many messages that simulating them takes seconds or minutes: bounds, if they leave
/// an error that hardly shows.
std::optional<double> run_bounded(const CellRun& run) {
  constexpr double seconds = 1e7;  // messages
  constexpr double minutes = 1e8;
  const double messages = expected_message_count(run.planned);
  const bool one_ring =
      run.planned.cell.algorithm == "ring" && run.planned.options.channels.size() == 1;
  if (messages <= seconds || (messages <= minutes && run.is_even())) return std::nullopt;
  return run.by_recurrence(
      run.elements, {one_ring ? run.ranks() / 2 : run.ranks(), messages > minutes ? 1e-3 : 1e-4});
}

/// Rings of which simulating one rank of each class would take a minute or more: bounds, if they
/// leave an error that a decision survives.
std::optional<double> run_slow(const CellRun& run, int classes) {
  const double minute = std::min(4e7, run.most_messages);
  constexpr double largest_error = 0.1;
  const double messages = run.part(classes) * expected_message_count(run.planned);
  if (messages <= minute) return std::nullopt;
  return run.by_recurrence(run.elements, {run.ranks(), largest_error});
}

/// Whether one element more makes chunks of this many travel in more messages, or with a handshake.
bool crosses_a_limit(const CellRun& run, std::uint64_t chunk) {
  const Bytes width = size_of(run.planned.cell.reduction.type);
  const auto messages = [&](std::uint64_t each) {
    return allreduce_message_count(run.planned.cell.algorithm, run.planned.options,
                                   each * run.chunks(), width);
  };
  if (messages(chunk) != messages(chunk + 1)) return true;
  // Ranks of the cell, as parts of switches are ranks of the job: no cables lead to another node's.
  const Rank farthest{run.planned.cell.ranks - 1};
  const TransferPath& path = run.job.paths().between(Rank{0}, farthest);
  if (!path.rendezvous) return false;
  // A message is of one chunk or of several.
  const std::uint64_t limit = path.rendezvous->above.count();
  const std::uint64_t most = limit / path.wire_bytes_of(chunk * width).count();
  return most * path.wire_bytes_of((chunk + 1) * width).count() > limit;
}

/// Runs a job whose chunks are all as long as the longest, if that is symmetric.
///
/// Chunks that differ by one element would make all ranks different. Each message takes at most
/// 1/base longer, of base elements in the shortest chunk, and so does the whole. But where messages
/// compete for bandwidth, one that ends later may make others end earlier: there are bounds.
std::optional<Found> run_rounded(const CellRun& run) {
  constexpr double largest_error = 0.01;
  const std::uint64_t chunk = run.elements / run.chunks();
  if (run.is_even() || static_cast<double>(chunk) * largest_error < 1) return std::nullopt;
  if (crosses_a_limit(run, chunk)) return std::nullopt;
  const std::uint64_t longest = (chunk + 1) * run.chunks();
  const int classes = run.job.fold(run.of(longest));
  if (2 * classes > run.ranks()) return std::nullopt;
  if (const auto error = run_slow(run, classes)) return Found{*error};
  expect_simulable(run.planned, run.part(classes), run.most_messages);
  run.job.run(run.of(longest));
  const SimReport& report = run.job.report();
  const bool competes = streams_share_links(report, run.job.paths()) || !report.copied.empty();
  const double part = 1 / static_cast<double>(chunk);
  if (!competes) return Found{part, part};
  const auto bounds = run.job.bounds(run.of(longest), part);
  if (!bounds) return Found{std::nullopt, part};
  return Found{1 - bounds->least / report.time, part, bounds->most};
}

/// Simulates the messages of one rank for all that are alike, or finds bounds where that is slow.
Found run_folded(const CellRun& run, double messages) {
  if (!run.job.is_simgrid()) {
    // A dry run goes through the messages of a few steps; with chunks that differ, of all.
    constexpr double most_recorded = 1e8;  // seconds
    expect_simulable(run.planned, run.is_even() ? std::min(1.0, 4.0 / run.ranks()) : 1,
                     most_recorded);
  }
  const RankProgram program = run.of(run.elements);
  const int classes = run.job.fold(program);
  if (!run.job.is_simgrid()) {
    if (const auto error = run_slow(run, classes)) return {*error};
  }
  const double part = run.part(classes);
  expect_simulable(run.planned, part, run.most_messages);
  if (!run.job.is_simgrid() && !run.job.may_leave_out_rounds()) {
    run.report({0, part * messages * work_per_message_of(Fidelity::cheapest)});
  }
  run.job.run(program);
  return {};
}

/// Runs the job in the cheapest way.
Found run_cheapest(const CellRun& run) {
  constexpr double quick_ring = 3e9;     // messages: seconds
  constexpr double patient_ring = 5e10;  // a minute
  constexpr double quick = 3e5;          // of other algorithms: a second or two
  const double messages = expected_message_count(run.planned);
  const bool is_quick = messages <= quick_ring;
  if (is_quick && run.by_recurrence(run.elements, {run.ranks()})) return {};
  if (!run.job.is_simgrid() && messages > quick) {
    if (const auto error = run_bounded(run)) return {*error};
    if (const auto found = run_rounded(run)) return *found;
  }
  if (!is_quick && messages <= patient_ring && run.by_recurrence(run.elements, {run.ranks()}))
    return {};
  return run_folded(run, messages);
}

/// The time in which the process that drives most ranks of a node launches their kernels.
Seconds launch_floor(const TransferPaths& paths, int ranks) {
  const TransportProfile& profile = paths.profile();
  if (profile.gpus_per_process == 1) return Seconds{0};
  std::map<int, int> ranks_of_node;
  int most = 0;
  for (const int place : std::span{paths.places()}.first(static_cast<std::size_t>(ranks))) {
    const Vertex& vertex = paths.topology().cluster().vertices[static_cast<std::size_t>(place)];
    most = std::max(most, ++ranks_of_node[vertex.node]);
  }
  return Seconds{1e-6 * std::min(most, profile.gpus_per_process) *
                 measured_constant(kernel_launch, profile.left_out)};
}

/// What is known of the time beside it.
void add_bounds(const Found& found, Row& row) {
  if (found.rounded_by > 0) {
    row.found_by += fmt::format(", chunks up to {:.2g} % longer", 100 * found.rounded_by);
  }
  if (found.most && *found.most / row.time - 1 > SimulatedJob::RecurrenceLimits::exact) {
    row.time_max = *found.most;
    row.found_by += fmt::format(", {:.2g} % more at most", 100 * (row.time_max / row.time - 1));
  }
  row.time_error_bound = found.error;
}

}  // namespace

bool is_plain_rings(const PlannedCell& planned, std::size_t rings) {
  const Cell& cell = planned.cell;
  const double n = cell.ranks;
  const std::uint64_t elements = cell.size.count() / size_of(cell.reduction.type).count();
  return rings > 0 &&
         expected_message_count(planned) == 2 * n * (n - 1) * static_cast<double>(rings) &&
         elements >= static_cast<std::uint64_t>(cell.ranks) * rings;
}

Row simulate(const PlannedCell& planned, const Scenario& scenario, const Topology& any_size,
             const PredictOptions& options, const ReportProgress& report_progress) {
  if (options.check) {
    expect_room_for_data(planned.cell);
  }
  const Cell& cell = planned.cell;
  const TransportProfile transport_profile =
      planned.transport.value_or(scenario.transport).of_algorithm(cell.algorithm);
  const CachedMachine machine{any_size, transport_profile, cell.ranks, cell.size};
  const Topology& topology = machine.topology();
  expect_runnable(planned, scenario);
  const bool transfers = is_transfer(cell.algorithm);
  const auto algorithm =
      transfers ? make_transfer(cell.algorithm) : make_allreduce(cell.algorithm, planned.options);
  const std::uint64_t width = size_of(cell.reduction.type).count();
  expect(cell.size.count() % width == 0, "{} is no whole number of {}", to_text(cell.size),
         name_of(cell.reduction.type));
  const std::uint64_t elements = cell.size.count() / width;
  const double expected_messages = expected_message_count(planned);

  SimOptions sim_options;
  sim_options.with_data = options.check;
  sim_options.traffic.record_messages = options.trace.has_value();
  sim_options.traffic.progress = [&](std::uint64_t delivered) {
    report_progress({std::min(1.0, static_cast<double>(delivered) / expected_messages)});
  };
  sim_options.buffer = cell.size;
  sim_options.delay_seed = options.delay_seed;
  sim_options.hosts = planned.hosts;
  SimulatedJob job{topology,       cell.ranks,  machine.transport(),
                   cell.reduction, sim_options, options.fidelity};
  job.on_recurrence([&](double messages) {
    report_progress({0, messages * work_per_ring_message});
  });
  const Program program = [&](RankContext& self, std::uint64_t count) {
    const Rank me = self.network.rank();
    const CheckedData data{self.memory.allocate(count * Bytes{width}), count, cell.reduction,
                           cell.ranks};
    const bool checked = options.check && index_of(me) < cell.ranks;
    if (checked) {
      data.fill(self.memory, me);
    }
    algorithm->run({data.buffer, count}, self);
    if (checked) {
      data.verify_allreduce(self.memory, me);
    }
  };
  const Found found =
      run_cheapest({job, planned, elements, program, options.most_messages, report_progress});

  const SimReport& report = job.report();
  const std::span<const int> places{job.paths().places()};
  const LowerBound bound =
      transfers ? LowerBound{}
                : allreduce_lower_bound(machine.fastest(),
                                        places.first(static_cast<std::size_t>(cell.ranks)),
                                        cell.size, !planned.hosts.empty());
  expect_above(bound, report.time);
  if (options.trace) {
    write_trace(*options.trace, report, job.paths());
  }
  Row row;
  row.cell = cell;
  row.time = std::max(report.time, launch_floor(job.paths(), cell.ranks));
  if (transfers) row.time = report.time / static_cast<double>(consecutive_messages(cell.algorithm));
  row.time_min = row.time_max = row.time;
  row.found_by = job.found_by();
  add_bounds(found, row);
  row.verified = options.check;
  row.lower_bound = bound.time;
  row.lower_bound_reason = bound.reason;
  for (const PairTraffic& pair : report.traffic) {
    row.messages += pair.messages;
  }
  row.sent_per_rank = most_sent(report.traffic);
  row.busiest = link_loads(report, job.paths());
  row.idle_cards = idle_cards(report, job.paths(), planned, scenario);
  if (!transfers && !job.is_by_recurrence() && may_have_range(planned, report, job.paths())) {
    row.range_reason = possible_range;
  }
  return row;
}

}  // namespace ringcast
