#include <algorithm>

#include <fmt/format.h>

#include "app/predict/cached_machine.hpp"
#include "app/predict/link_loads.hpp"
#include "app/predict/predict.hpp"
#include "app/predict/time_range.hpp"
#include "app/predict/trace.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/collectives/checked_data.hpp"
#include "engine/numbers/error.hpp"
#include "sim/link_load.hpp"
#include "sim/sim_transport.hpp"
#include "topology/lower_bound.hpp"

namespace ringcast {

Row simulate(const PlannedCell& planned, const Scenario& scenario, const Topology& any_size,
             const PredictOptions& options, const ReportProgress& report_progress) {
  expect_simulable(planned, options);
  const Cell& cell = planned.cell;
  const TransportProfile transport_profile =
      planned.transport.value_or(scenario.transport).of_algorithm(cell.algorithm);
  const CachedMachine machine{any_size, transport_profile, cell.ranks, cell.size};
  const Topology& topology = machine.topology();
  expect_servers_in_use(planned, scenario);
  const auto algorithm = make_allreduce(cell.algorithm, planned.options);
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
  SimTransport transport{topology, cell.ranks, machine.transport(), cell.reduction, sim_options};
  transport.run([&](RankContext& self) {
    const Rank me = self.network.rank();
    const CheckedData data{self.memory.allocate(cell.size), elements, cell.reduction, cell.ranks};
    const bool checked = options.check && index_of(me) < cell.ranks;
    if (checked) {
      data.fill(self.memory, me);
    }
    algorithm->run({data.buffer, elements}, self);
    if (checked) {
      data.verify_allreduce(self.memory, me);
    }
  });

  const SimReport& report = transport.report();
  const std::span<const int> places{transport.paths().places()};
  const LowerBound bound =
      allreduce_lower_bound(machine.fastest(), places.first(static_cast<std::size_t>(cell.ranks)),
                            cell.size, !planned.hosts.empty());
  expect_above(bound, report.time);
  if (options.trace) {
    write_trace(*options.trace, report, transport.paths());
  }
  Row row;
  row.cell = cell;
  row.time = row.time_min = row.time_max = report.time;
  row.verified = options.check;
  row.lower_bound = bound.time;
  row.lower_bound_reason = bound.reason;
  for (const PairTraffic& pair : report.traffic) {
    row.messages += pair.messages;
  }
  row.sent_per_rank = most_sent(report.traffic);
  row.busiest = link_loads(report, transport.paths());
  if (travels_in_segments(planned) && streams_share_links(report, transport.paths())) {
    row.range_reason = possible_range;
  }
  return row;
}

}  // namespace ringcast
