#include <algorithm>
#include <functional>

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
#include "sim/link_load.hpp"
#include "sim/simulated_job.hpp"
#include "topology/lower_bound.hpp"

namespace ringcast {
namespace {

using Program = std::function<void(RankContext&, std::uint64_t elements)>;

/// A ring of whole chunks on one channel.
bool is_plain_ring(const PlannedCell& planned, std::uint64_t elements) {
  const double n = planned.cell.ranks;
  return planned.cell.algorithm == "ring" && planned.options.channels.size() == 1 &&
         expected_message_count(planned) == 2 * n * (n - 1) &&
         elements >= static_cast<std::uint64_t>(planned.cell.ranks);
}

/// Runs the job in the cheapest way. Returns the part of the time by which that may be too long.
///
/// Chunks that differ by one element would make all ranks different. Where only a symmetric job can
/// be found quickly, all of its chunks are as long as the longest. Each message then takes at most
/// 1/base longer, of base elements in the shortest chunk; so does the whole where no message waits
/// for another's bandwidth.
double run(SimulatedJob& job, const PlannedCell& planned, std::uint64_t elements,
           const Program& program) {
  constexpr double quick_ring = 3e9;     // messages: seconds
  constexpr double patient_ring = 5e10;  // a minute
  constexpr double quick = 3e5;          // of other algorithms: a second or two
  constexpr double largest_error = 0.01;
  const RingOrder& order = planned.options.channels.front();
  const int ranks = job.paths().ranks();
  const double messages = expected_message_count(planned);
  const bool plain_ring = is_plain_ring(planned, elements);
  if (plain_ring && messages <= quick_ring && job.find_by_recurrence(order, elements, ranks)) {
    return 0;
  }
  const auto of = [&program](std::uint64_t count) {
    return [&program, count](RankContext& self) { program(self, count); };
  };
  const auto part = [ranks](int classes) { return static_cast<double>(classes) / ranks; };
  const std::uint64_t ways = planned.cell.algorithm == "two-way-ring" ? 2 : 1;
  const std::uint64_t parts =
      static_cast<std::uint64_t>(planned.cell.ranks) * planned.options.channels.size() * ways;
  const std::uint64_t chunk = elements / parts;
  const bool is_even = elements % parts == 0;
  if (static_cast<double>(chunk) * largest_error >= 1 && !job.is_simgrid() && messages > quick) {
    const std::uint64_t longest = is_even ? elements : (chunk + 1) * parts;
    const double error = is_even ? 0 : 1 / static_cast<double>(chunk);
    if (plain_ring && job.find_by_recurrence(order, longest, ranks / 2)) {
      return error;
    }
    const int classes = is_even ? ranks : job.fold(of(longest));
    if (2 * classes <= ranks) {
      expect_simulable(planned, part(classes));
      job.run(of(longest));
      return error;
    }
  }
  if (plain_ring && messages <= patient_ring && job.find_by_recurrence(order, elements, ranks)) {
    return 0;
  }
  if (!job.is_simgrid()) {
    // A dry run keeps each message of a few steps; with chunks that differ, of all.
    constexpr double most_kept = 1e8;
    expect_simulable(planned, is_even ? std::min(1.0, 4.0 / ranks) : 1, most_kept);
  }
  expect_simulable(planned, part(job.fold(of(elements))));
  job.run(of(elements));
  return 0;
}

}  // namespace

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

  SimTransport::Options sim_options;
  sim_options.with_data = options.check;
  sim_options.traffic.record_messages = options.trace.has_value();
  sim_options.traffic.progress = [&](std::uint64_t delivered) {
    report_progress(std::min(1.0, static_cast<double>(delivered) / expected_messages));
  };
  sim_options.buffer = cell.size;
  sim_options.delay_seed = options.delay_seed;
  sim_options.hosts = planned.hosts;
  SimulatedJob job{topology,       cell.ranks,  machine.transport(),
                   cell.reduction, sim_options, options.fidelity};
  const auto program = [&](RankContext& self, std::uint64_t count) {
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
  const double error = run(job, planned, elements, program);

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
  row.time = report.time;
  if (transfers) row.time = report.time / static_cast<double>(consecutive_messages(cell.algorithm));
  row.time_min = row.time_max = row.time;
  row.found_by = job.found_by();
  row.time_error_bound = error;
  row.verified = options.check;
  row.lower_bound = bound.time;
  row.lower_bound_reason = bound.reason;
  for (const PairTraffic& pair : report.traffic) {
    row.messages += pair.messages;
  }
  row.sent_per_rank = most_sent(report.traffic);
  row.busiest = link_loads(report, job.paths());
  row.idle_cards = idle_cards(report, job.paths(), planned, scenario);
  if (!transfers && may_have_range(planned, report, job.paths())) {
    row.range_reason = possible_range;
  }
  return row;
}

}  // namespace ringcast
