#include "app/predict/tuned_cells.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/predict/network_plugins.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/error.hpp"
#include "engine/schedule/node_groups.hpp"
#include "topology/nccl/nccl_chunks.hpp"
#include "topology/rings/channel_rings.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

/// The first of NCCL's rings: as many as the scenario asks for, or all.
void take_nccl_rings(PlannedCell& planned, std::vector<RingOrder> rings, const Scenario& scenario) {
  const int ways = static_cast<int>(rings.size());
  const int wanted = scenario.channels.empty() ? ways : planned.cell.channels.value();
  const bool uses_them =
      planned.cell.algorithm == auto_algorithm || divides_among_channels(planned.cell.algorithm);
  const int count = uses_them ? wanted : std::min(wanted, ways);
  if (count > ways) {
    throw ScenarioError{
        fmt::format("{}: {} channels, but {} of {} {} disjoint paths for {} (expected at most "
                    "{}, or no channels)",
                    position_of(scenario, "channels", std::to_string(count)), count,
                    counted(planned.cell.ranks, "rank"), scenario.cluster.name,
                    planned.cell.ranks == 1 ? "has" : "have", ways, ways)};
  }
  planned.rings_of_job = rings.size();
  rings.erase(rings.begin() + count, rings.end());
  planned.cell.channels_are_chosen = scenario.channels.empty();
  set_rings(planned, rings);
}

/// The switch of each node becomes additional ranks, one for each owner's shard of the buffer.
void add_switches(PlannedCell& planned, const Topology& topology) {
  const NodeGroups nodes{planned.options.channels.front().size(), planned.options.node_of};
  const std::vector<Vertex>& vertices = topology.cluster().vertices;
  for (int node = 0; node < nodes.count(); ++node) {
    const int gpu = topology.vertex_of(nodes.ranks_of(node).front());
    const auto found = std::ranges::find_if(vertices, [&](const Vertex& vertex) {
      return vertex.kind == VertexKind::nvswitch &&
             vertex.node == vertices[static_cast<std::size_t>(gpu)].node;
    });
    expect(found != vertices.end(), "node {} has no switch", node);
    for (int part = 0; part < nodes.widest(); ++part) {
      planned.hosts.push_back(static_cast<int>(found - vertices.begin()));
      const int servers = static_cast<int>(planned.options.servers.size());
      planned.options.servers.push_back(Rank{planned.cell.ranks + servers});
    }
  }
}

/// For RCCL's programs for small buffers (rccl_programs.hpp).
void serve_on_all_ranks(PlannedCell& planned) {
  const std::span<const Rank> ranks = planned.options.channels.front().ranks();
  planned.options.servers.assign(ranks.begin(), ranks.end());
  planned.options.serve_at_once = true;
}

/// The requirement of an algorithm of NCCL, as in nccl_choices().
std::string_view needs_of(const Cell& cell, const TransportProfile& transport, bool has_switches) {
  const std::string_view algorithm = cell.algorithm;
  const bool has_others = std::ranges::any_of(
      transport.protocols, [](const Protocol& each) { return each.algorithm != "in-switch"; });
  if (has_switches && !switches_combine(cell.reduction) &&
      (algorithm == "in-switch" || !has_others)) {
    return "operation: sum, or min or max of another type than float32 and float64, for in-switch";
  }
  if (transport.protocols.empty()) {
    return "another algorithm, or a transport with protocols beside its tuner, e.g. one with "
           "base: scenarios/transports/nccl.yaml";
  }
  if (transport.is_narrowed && algorithm == "in-switch") {
    return "a wider choice in only_algorithms, only_protocols, --protocol or --nccl-env; in-switch "
           "has the protocol Simple only";
  }
  if (transport.is_narrowed) {
    return "a wider choice in only_algorithms, only_protocols, --protocol or --nccl-env; LL128 "
           "needs NVLinks and GPUDirect RDMA, with RCCL an MI300X or later, or eight MI250X";
  }
  if (algorithm == "in-switch") {
    return "two GPUs or more in each node, NVSwitches of the third generation there, NVLink 4 or "
           "later, and NCCL 2.17 or later, 2.18 between nodes";
  }
  return algorithm == "tree" ? "NCCL 2.4 or later" : "another algorithm";
}

bool is_of_nccl(std::string_view algorithm) {
  return algorithm == "ring" || algorithm == "tree" || algorithm == "in-switch";
}

/// The next chunk of a tree's channel waits for the one before, whose latency includes its flush.
void take_one_by_one(TransportProfile& transport, const EfaChunk& chunk, double messages) {
  transport.overheads[PathKind::network] =
      transport.overhead_of(PathKind::network) + messages * (chunk.flush + chunk.beside);
  transport.protocols.front().latencies[PathKind::network] -= chunk.flush;
}

/// Small buffers use only some of the channels that NCCL has, and these may be fewer than the rings
/// of the job (rings_of_nccl()).
void use_channels(PlannedCell& planned, const NcclChoice& choice, const NcclMachine& machine) {
  std::vector<RingOrder>& rings = planned.options.channels;
  planned.rings_of_job =
      std::min(planned.rings_of_job, static_cast<std::size_t>(machine.channels()));
  const bool by_channels = planned.cell.algorithm == "ring" || planned.cell.algorithm == "tree";
  if (!by_channels || choice.channels >= static_cast<int>(rings.size())) return;
  rings.erase(rings.begin() + choice.channels, rings.end());
  planned.cell.channels = choice.channels;
}

/// The limits of a channel of NCCL become those of a channel of the job, of which there may be
/// fewer. Returns the part of a channel that one of `own` channels is.
double share_channels(PlannedCell& planned, const NcclChoice& choice, std::size_t own) {
  const double part = static_cast<double>(choice.channels) / static_cast<double>(own);
  planned.transport->protocols.front().channel_rate = part * choice.protocol.channel_rate;
  return part;
}

/// Sets the trees' options. Their chains enter all nodes at the same position unless the user gave
/// the order.
void take_trees(PlannedCell& planned, const NcclChoice& choice, const EfaChunk& efa) {
  const Cell& cell = planned.cell;
  if (cell.ring_order == nccl_rings || cell.ring_order == searched_rings) {
    const NodeGroups nodes{cell.ranks, planned.options.node_of};
    for (RingOrder& order : planned.options.channels)
      order = enter_nodes_alike(order, nodes);
  }
  planned.options.reduce_first = choice.reduce_first;
  planned.options.chain_on_one_node = true;
  take_one_by_one(*planned.transport, efa, choice.messages);
  // A channel of NCCL is one tree, ours are two.
  const double part = share_channels(planned, choice, 2 * planned.options.channels.size());
  planned.transport->protocols.front().network_rate = part * choice.protocol.network_rate;
  if (choice.in_flight) {
    const auto bytes = static_cast<double>(choice.in_flight->count());
    planned.options.in_flight = Bytes{static_cast<std::uint64_t>(part * bytes)};
  }
}

void take_choice(PlannedCell& planned, const Scenario& scenario, const Topology& topology,
                 NcclMachine machine) {
  Cell& cell = planned.cell;
  const bool has_switches = machine.sums_in_switches();
  machine.switch_sums = machine.switch_sums && switches_combine(cell.reduction);
  const bool is_open = cell.algorithm == auto_algorithm;
  const EfaChunk efa = efa_chunk_of(scenario.transport, scenario.cluster, machine);
  TransportProfile transport =
      machine.nodes > 1 ? with_plugin(scenario.transport, scenario.cluster, is_open, efa.flush)
                        : scenario.transport;
  std::vector<NcclChoice> choices =
      nccl_choices(machine, transport, cell.size,
                   is_open ? std::nullopt : std::optional<std::string_view>{cell.algorithm});
  if (is_open) ask_plugin(choices, scenario, machine, cell.size);
  if (choices.empty()) {
    throw ScenarioError{fmt::format("{}: {} cannot run on {} with {} (expected {})",
                                    position_of(scenario, "algorithm", cell.algorithm),
                                    cell.algorithm, scenario.cluster.name, scenario.transport.name,
                                    needs_of(cell, scenario.transport, has_switches))};
  }
  const NcclChoice& choice = choices.front();
  cell.algorithm = choice.protocol.algorithm;
  cell.protocol = choice.protocol.name;
  cell.is_chosen = is_open;
  planned.transport = std::move(transport);
  planned.transport->protocols = {choice.protocol};
  // LL's buffers for NICs are in host memory, whatever the distance to the GPU; those of other
  // protocols are in GPU memory (src/transport/net.cc, NCCL_PROTO_LL).
  if (choice.protocol.name == "LL") planned.transport->gdr.reset();
  if (!scenario.segment_size) planned.options.segment_size = choice.segment;
  if (scenario.channels.empty() && cell.ring_order == nccl_rings) {
    use_channels(planned, choice, machine);
  }
  if (cell.algorithm == "ring") share_channels(planned, choice, planned.options.channels.size());
  if (cell.algorithm == "tree") take_trees(planned, choice, efa);
  if (cell.algorithm == "in-switch") {
    planned.transport->protocols.front().call_overhead += choice.messages * efa.switched;
    add_switches(planned, topology);
  }
  if (choice.protocol.algorithm == "parameter-server") serve_on_all_ranks(planned);
}

/// Whether the tuner has a choice for the cell: of an algorithm, or of a protocol of the given one.
bool has_choice(const PlannedCell& planned, const TransportProfile& transport) {
  const std::string& algorithm = planned.cell.algorithm;
  return transport.tuner != Tuner::none && planned.cell.ranks > 1 &&
         (algorithm == auto_algorithm || transport.has_protocols_of(algorithm) ||
          (transport.is_narrowed && is_of_nccl(algorithm)));
}

void set_rings_of_job(PlannedCell& planned, const Scenario& scenario, TunedJobs& jobs) {
  if (planned.cell.ring_order == nccl_rings) {
    take_nccl_rings(planned, jobs.of(planned).rings, scenario);
  } else if (planned.cell.ring_order == searched_rings) {
    set_rings(planned, jobs.of(planned).rings);
  }
}

}  // namespace

TunedJobs::Job& TunedJobs::of(const PlannedCell& planned) {
  const bool searched = planned.cell.ring_order == searched_rings;
  const std::pair key{planned.cell.ranks, searched ? planned.cell.channels.value() : 0};
  const auto known = jobs_.find(key);
  if (known != jobs_.end()) return known->second;
  Job job{searched ? searched_.of(planned) : channel_rings(paths_of(planned.cell.ranks)), {}};
  return jobs_.emplace(key, std::move(job)).first->second;
}

const NcclMachine& TunedJobs::machine_of(Job& job, int ranks) const {
  if (!job.machine) job.machine = nccl_machine(paths_of(ranks), job.rings);
  return *job.machine;
}

bool TunedJobs::apply_to(const Scenario& scenario, const Topology& topology) const {
  return &topology == topology_ && scenario.transport == scenario_->transport &&
         scenario.channels == scenario_->channels && scenario.seed == scenario_->seed;
}

TransferPaths TunedJobs::paths_of(int ranks) const {
  const TransportProfile& transport = scenario_->transport;
  return {*topology_, transport, places_of_ranks(*topology_, ranks, transport)};
}

bool choose_as_nccl(PlannedCell& planned, const Scenario& scenario, const Topology& topology,
                    TunedJobs& jobs) {
  if (has_choice(planned, scenario.transport)) {
    TunedJobs::Job& job = jobs.of(planned);
    take_choice(planned, scenario, topology, jobs.machine_of(job, planned.cell.ranks));
    return true;
  }
  if (scenario.transport.tuner != Tuner::none && planned.cell.algorithm == auto_algorithm) {
    planned.cell.algorithm = "ring";
    planned.cell.is_chosen = true;
  }
  return false;
}

void complete_as_nccl(std::vector<PlannedCell>& cells, const Scenario& scenario,
                      const Topology& topology, TunedJobs& jobs) {
  for (PlannedCell& planned : cells) {
    try {
      set_rings_of_job(planned, scenario, jobs);
      if (!scenario.training) choose_as_nccl(planned, scenario, topology, jobs);
    } catch (const ScenarioError& refusal) {
      planned.refusal = refusal.what();
    }
  }
}

std::vector<PlannedCell> with_alternatives(std::vector<PlannedCell> cells, bool whole_chunks) {
  static constexpr std::string_view algorithms[] = {"ring", "hierarchical-ring", "tree",
                                                    "recursive-halving-doubling", "all-to-all"};
  // A tree without segments waits for the whole buffer at each level.
  constexpr std::uint64_t segments = 32;
  std::vector<PlannedCell> all;
  for (PlannedCell& planned : cells) {
    if (planned.cell.algorithm != auto_algorithm || planned.refusal) {
      all.push_back(std::move(planned));
      continue;
    }
    for (const std::string_view algorithm : algorithms) {
      PlannedCell& one = all.emplace_back(planned);
      one.cell.algorithm = algorithm;
      one.cell.is_chosen = true;
      one.is_alternative = algorithm != algorithms[0];
      if (algorithm == "tree" && !one.cell.segment_size && !whole_chunks) {
        const std::uint64_t width = size_of(one.cell.reduction.type).count();
        one.cell.segment_size = one.options.segment_size =
            std::max<std::uint64_t>(1, one.cell.size.count() / width / segments) * Bytes{width};
      }
    }
  }
  return all;
}

}  // namespace ringcast
