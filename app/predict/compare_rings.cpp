#include "app/predict/compare_rings.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/common/mapped.hpp"
#include "app/config/cluster/degradation.hpp"
#include "app/config/scenario/searched_rings.hpp"
#include "app/predict/machine_of_scenario.hpp"
#include "app/report/json_text.hpp"
#include "app/report/provenance.hpp"
#include "engine/numbers/error.hpp"
#include "topology/nccl/nccl_tuner.hpp"
#include "topology/rings/ring_load.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

// A simulation of more messages takes minutes, and there is one for each order. Folding and
// recurrences have no limit.
constexpr double most_messages = 20e6;

/// The machines of a question without their rings: the cluster file's, then the degraded one. They
/// consist of the job's nodes unless a cable is degraded, which may be of any node.
std::vector<ComparedMachine> machines_of(const RingQuestion& question) {
  Cluster cluster = question.degrade.empty() ? machine_of_jobs(question.scenario)
                                             : whole_machine(question.scenario);
  std::vector<ComparedMachine> machines(1);
  machines.front().topology = std::make_shared<Topology>(cluster);
  if (!question.degrade.empty()) {
    ComparedMachine& degraded = machines.emplace_back();
    degraded.changes = degrade(cluster, question.degrade, question.scenario.ranks);
    degraded.topology = std::make_shared<Topology>(degraded_topology(std::move(cluster)));
  }
  const Scenario& scenario = question.scenario;
  for (ComparedMachine& machine : machines) {
    machine.paths = std::make_shared<TransferPaths>(
        *machine.topology, scenario.transport,
        places_of_ranks(*machine.topology, scenario.ranks.front(), scenario.transport));
  }
  return machines;
}

// A search runs in a child process, which a signal can end. Its outcome is sent as JSON.

Json to_json(const BandwidthBound& bound) {
  return {{"busbw", bound.busbw.value()}, {"reason", bound.reason}};
}
BandwidthBound bound_of(const Json& json) {
  return {BytesPerSecond{json.at("busbw").get<double>()}, json.at("reason").get<std::string>()};
}

std::string search_on(const RingQuestion& question, const ComparedMachine& machine) {
  const TransferPaths& paths = *machine.paths;
  const FoundRings found = search_rings(paths, question.search);
  return text_of(Json{{"rings", text_of(found.rings)},
                      {"busbw", found.busbw.value()},
                      {"proved_optimal", found.proved_optimal},
                      {"ring_bound", to_json(found.bound)},
                      {"algorithm_bound", to_json(algorithm_bound(paths))}});
}

ComparedRings rings_named(std::string name, FoundRings found, const TransferPaths& paths) {
  ComparedRings order{std::move(name), std::move(found)};
  if (const auto bottleneck = ring_bottleneck(paths, order.found.rings)) {
    order.found.busbw = bottleneck->busbw;
    order.bottleneck = bottleneck->link;
  }
  return order;
}

/// Searches on all machines and gives each the rings to compare on it.
void add_orders(const RingQuestion& question, std::vector<ComparedMachine>& machines,
                const WorkProgress& progress) {
  const auto work = [&](std::size_t i, const ReportProgress& /*none*/) {
    return search_on(question, machines[i]);
  };
  const std::vector<CellOutcome> outcomes =
      run_cells(machines.size(), question.jobs, work,
                weighted_progress(std::vector<Seconds>(machines.size(), Seconds{1}), progress));
  FoundRings before;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    if (!outcomes[i].succeeded()) throw_error(outcomes[i].exit_code, outcomes[i].text);
    ComparedMachine& machine = machines[i];
    const TransferPaths& paths = *machine.paths;
    const Json json = Json::parse(outcomes[i].text);
    FoundRings found{rings_of(json.at("rings").get<std::string>()),
                     BytesPerSecond{json.at("busbw").get<double>()},
                     json.at("proved_optimal").get<bool>()};
    machine.ring_bound = bound_of(json.at("ring_bound"));
    machine.algorithm_bound = bound_of(json.at("algorithm_bound"));
    const auto add = [&](const char* name, FoundRings rings) {
      machine.orders.push_back(rings_named(name, std::move(rings), paths));
    };
    add("by-rank", {{RingOrder::identity(paths.ranks())}, {}});
    add("nccl", {rings_of_nccl(paths), {}});
    if (i > 0) add("searched", {before.rings, {}});
    add(i > 0 ? "searched again" : "searched", found);
    before = std::move(found);
  }
}

/// A simulation, and the order that gets its row.
struct OrderCell {
  PlannedCell planned;
  const ComparedMachine* machine;
  ComparedRings* order;
};

/// NCCL's channels are as many on other rings: each of these has another part of them.
void keep_channels_of(const PlannedCell& base, PlannedCell& planned) {
  if (!planned.transport || planned.transport->protocols.empty()) return;
  const auto rings = [](const PlannedCell& cell) {
    return static_cast<double>(cell.options.channels.size());
  };
  Protocol& protocol = planned.transport->protocols.front();
  protocol.channel_rate = rings(base) / rings(planned) * protocol.channel_rate;
}

/// The same cell on each order; only the rings differ.
std::vector<OrderCell> cells_of(const RingQuestion& question, RingComparison& comparison) {
  std::vector<OrderCell> cells;
  for (ComparedMachine& machine : comparison.machines) {
    const PlannedCell base = plan(question.scenario, *machine.topology).front();
    for (ComparedRings& order : machine.orders) {
      OrderCell& cell = cells.emplace_back(OrderCell{base, &machine, &order});
      cell.planned.cell.ring_order = order.name;
      set_rings(cell.planned, order.found.rings);
      keep_channels_of(base, cell.planned);
    }
  }
  comparison.cell = cells.front().planned.cell;
  return cells;
}

}  // namespace

RingComparison compare_rings(const RingQuestion& question, const WorkProgress& search_progress,
                             const WorkProgress& progress) {
  RingComparison comparison;
  comparison.provenance = provenance_of(question.scenario, "simgrid", true);
  comparison.search = question.search;
  comparison.machines = machines_of(question);
  add_orders(question, comparison.machines, search_progress);
  const std::vector<OrderCell> cells = cells_of(question, comparison);
  if (!question.simulates) return comparison;

  const std::vector<PlannedCell> planned = mapped(cells, &OrderCell::planned);
  PredictOptions options;
  options.most_messages = most_messages;
  options.progress = progress;
  const auto work = [&](std::size_t i, const ReportProgress& report) {
    return checked_outcome(
        simulate(planned[i], question.scenario, *cells[i].machine->topology, options, report));
  };
  const std::vector<CellOutcome> outcomes =
      run_cells(cells.size(), question.jobs, work, progress_of(planned, options));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (outcomes[i].succeeded()) {
      cells[i].order->row = row_from_outcome(planned[i].cell, outcomes[i].text);
    } else if (outcomes[i].exit_code == ScenarioError::code &&
               expected_message_count(planned[i]) > most_messages) {
      ++comparison.left_out;
    } else {
      comparison.failures.push_back({planned[i].cell, outcomes[i].text, outcomes[i].exit_code});
    }
  }
  return comparison;
}

}  // namespace ringcast
