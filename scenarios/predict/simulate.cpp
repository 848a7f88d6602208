#include <algorithm>

#include <fmt/format.h>

#include "engine/allreduce_algorithms.hpp"
#include "engine/checked_data.hpp"
#include "engine/error.hpp"
#include "scenarios/predict/predict.hpp"
#include "scenarios/predict/trace.hpp"
#include "sim/link_load.hpp"
#include "sim/sim_transport.hpp"
#include "topology/lower_bound.hpp"

namespace ringcast {
namespace {

// Simulated times are right to this part of them, and to SimGrid's precision of 1e-12 s per step:
// ten nanoseconds over the steps of thousands of ranks.
constexpr double rounding = 1e-9;
constexpr Seconds precision{1e-8};

/// Every link that carried anything, busiest first.
std::vector<LinkLoad> loads(const SimReport& report, const TransferPaths& paths) {
  const Topology& topology = paths.topology();
  const std::vector<Bytes> carried = carried_by_link(report, paths);
  std::vector<LinkLoad> all;
  for (std::size_t i = 0; i < carried.size(); ++i) {
    if (carried[i] == Bytes{0}) {
      continue;
    }
    const Link& link = topology.links()[i];
    const Seconds busy = carried[i] / link.bandwidth;
    const LinkId id{static_cast<int>(i)};
    all.push_back({topology.name_of(id), std::string{topology.class_of(id)}, link.bandwidth,
                   carried[i], std::min(busy / report.time, 1.0)});
    expect(busy <= report.time * (1 + rounding) + precision,
           "{} carried {} in {}, more than {} allow", all.back().name, to_text(carried[i]),
           to_text(report.time), to_text(link.bandwidth));
  }
  // Of equally busy links the first in the cluster's order is named.
  std::stable_sort(all.begin(), all.end(), [](const LinkLoad& a, const LinkLoad& b) {
    return a.utilisation > b.utilisation;
  });
  constexpr std::size_t kept = 32;
  if (all.size() > kept) {
    all.resize(kept);
  }
  return all;
}

void expect_possible(Seconds time, const LowerBound& bound) {
  expect(time >= bound.time * (1 - rounding) - precision,
         "a predicted time of {} is below the physical bound of {} ({})", to_text(time),
         to_text(bound.time), bound.reason);
}

}  // namespace

AllreduceRow simulate(const PlannedCell& planned, const Scenario& scenario,
                      const Topology& topology, const PredictOptions& options,
                      const ReportProgress& report_progress) {
  const Cell& cell = planned.cell;
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
  sim_options.hosts = planned.hosts;
  SimTransport transport{topology, cell.ranks, scenario.transport, cell.reduction, sim_options};
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
      allreduce_lower_bound(topology, places.first(static_cast<std::size_t>(cell.ranks)), cell.size,
                            !planned.hosts.empty());
  expect_possible(report.time, bound);
  if (options.trace) {
    write_trace(*options.trace, report, transport.paths());
  }
  AllreduceRow row;
  row.cell = cell;
  row.time = row.time_min = row.time_max = report.time;
  row.verified = options.check;
  row.lower_bound = bound.time;
  row.lower_bound_reason = bound.reason;
  for (const PairTraffic& pair : report.traffic) {
    row.messages += pair.messages;
  }
  row.sent_per_rank = most_sent(report.traffic);
  row.busiest = loads(report, transport.paths());
  return row;
}

}  // namespace ringcast
