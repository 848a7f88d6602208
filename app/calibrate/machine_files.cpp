#include "app/calibrate/machine_files.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/config/cluster/cluster_writer.hpp"

namespace ringcast {
namespace {

bool is_about(BytesPerSecond a, BytesPerSecond b) {
  return std::abs(a.value() / b.value() - 1) <= 0.1;
}

// Rounded to more digits than a measurement has, but fewer than those of a double.
BytesPerSecond rounded(BytesPerSecond rate) {
  return parse_rate(fmt::format("{:.6f} GB/s", rate.value() / 1e9));
}
Seconds rounded(Seconds time) {
  return parse_time(fmt::format("{:.4f} us", time.count() * 1e6));
}

std::string measured(const MeasuredAt& at) {
  return fmt::format("measured by ringcast calibrate on {} at {}", at.host, at.time);
}
std::string measured(const MeasuredAt& at, const PairFit& fit) {
  return fmt::format("{}, sizes {} to {}, residual {:.1f} %, worst {:.1f} % at {}", measured(at),
                     to_text(fit.least), to_text(fit.most), 100 * fit.residual, 100 * fit.worst,
                     to_text(fit.worst_size));
}

/// Converts a measured machine to a cluster. The remarks are for a scenario that contains it.
class MeasuredCluster {
 public:
  MeasuredCluster(const MachineModel& model, const MeasuredAt& at) : model_{model}, at_{at} {}

  InputValue map() {
    spec_.name = model_.hosts.front() + ", calibrated";
    spec_.source = measured(at_);
    add_node_types();
    if (model_.network) add_fabric();
    return yaml_map(spec_);
  }
  [[nodiscard]] const YamlRemarks& remarks() const { return remarks_; }

 private:
  static CableSpec cable(const std::string& name, BytesPerSecond bandwidth, Seconds latency,
                         std::string source) {
    return {name, rounded(bandwidth), rounded(latency), std::move(source), name};
  }

  CableSpec core() {
    remarks_.above["cluster.links.core"] = {
        model_.node ? "what one core copies from a neighbour"
                    : "what one core copies from a neighbour; not measured, as no node has two "
                      "ranks: the network's rate"};
    const PairFit& fit = model_.node ? *model_.node : *model_.network;
    return cable("core", fit.cost.bandwidth, model_.node ? fit.cost.latency : Seconds{0},
                 measured(at_, fit));
  }

  CableSpec slot() {
    remarks_.above["cluster.links.slot"] = {
        "from a NIC to its socket: not told apart from the network cable"};
    return cable("slot", *std::ranges::max_element(model_.nics), Seconds{0}, measured(at_));
  }

  /// A message crosses two network cables.
  [[nodiscard]] CableSpec nic(int node) const {
    const BytesPerSecond own = model_.nics[static_cast<std::size_t>(node)];
    const bool usual = is_about(own, model_.usual_nic);
    CableSpec nic = cable(usual ? "card" : fmt::format("card-of-node{}", node),
                          usual ? model_.usual_nic : own, model_.network->cost.latency / 2,
                          usual ? measured(at_, *model_.network) : measured(at_));
    const double both_ways = model_.both_ways.value() / model_.usual_nic.value();
    nic.both_ways = rounded(both_ways * nic.bandwidth);
    return nic;
  }

  void add_node_types() {
    for (const int processes : model_.processes) {
      const std::string name = fmt::format("host-of-{}", processes);
      if (spec_.nodes.empty() || spec_.nodes.back().type != name) {
        spec_.nodes.push_back({name, 0});
      }
      ++spec_.nodes.back().count;
      if (std::ranges::find(spec_.node_types, name, &NodeTypeSpec::name) ==
          spec_.node_types.end()) {
        spec_.node_types.push_back({name, {socket(processes)}, {}, {}, {}});
      }
    }
  }

  SocketSpec socket(int processes) {
    SocketSpec socket;
    socket.processes = processes;
    socket.process_cable = core();
    socket.memory = rounded(model_.memory);
    for (const CachedRate& cached : model_.caches) {
      socket.caches.push_back({cached.touched, rounded(cached.bandwidth),
                               rounded(cached.reduce_rate), rounded(cached.lent_rate)});
    }
    if (model_.network) {
      socket.root_complexes = {{1, {}, {{VertexKind::nic, 1, slot(), {}}}}};
    }
    return socket;
  }

  void add_fabric() {
    const std::vector<NodeGroup>& groups = model_.fabric.groups;
    const bool has_leaves = groups.size() > 1;
    if (!has_leaves && std::ranges::all_of(model_.nics, [&](BytesPerSecond nic) {
          return is_about(nic, model_.usual_nic);
        })) {
      spec_.single_switch = SingleSwitchSpec{1, nic(0)};
      return;
    }
    ExplicitFabricSpec& fabric = spec_.explicit_fabric.emplace();
    for (std::size_t group = 0; group < groups.size(); ++group) {
      const std::string leaf = has_leaves ? fmt::format("leaf{}", group) : "switch0";
      fabric.switches.push_back(leaf);
      if (has_leaves) {
        fabric.cables.push_back(
            {leaf, "spine",
             cable(fmt::format("uplink{}", group), groups[group].uplink, Seconds{0},
                   measured(at_) + ", what the group's streams to others reached together")});
      }
      for (const int node : groups[group].nodes)
        fabric.cables.push_back({fmt::format("node{}.nic0", node), leaf, nic(node)});
    }
    if (has_leaves) fabric.switches.emplace_back("spine");
  }

  const MachineModel& model_;
  const MeasuredAt& at_;
  ClusterSpec spec_;
  YamlRemarks remarks_;
};

template <typename Quantity>
InputValue sourced(Quantity quantity, std::string source) {
  return yaml_map({{"value", yaml_value(quantity)}, {"source", yaml_value(std::move(source))}});
}

InputValue overheads_map(const MachineModel& model, const MeasuredAt& at) {
  if (!model.node || !model.network) return {};
  const auto overhead = [&](const PairFit& fit) {
    return sourced(rounded(fit.cost.overhead), measured(at, fit));
  };
  return yaml_map({{"host_memory", overhead(*model.node)}, {"network", overhead(*model.network)}});
}

InputValue transport_map(const MachineModel& model, const MeasuredAt& at) {
  const PairFit& fit = model.network ? *model.network : *model.node;
  InputValue eager_limit;
  InputValue handshake;
  if (fit.cost.eager_limit) {
    eager_limit = sourced(*fit.cost.eager_limit,
                          "the largest size measured without the handshake; the next has it");
    handshake = sourced(rounded(fit.cost.handshake), measured(at, fit));
  }
  return yaml_map({{"name", yaml_value(model.hosts.front() + ", calibrated")},
                   {"source", yaml_value(measured(at))},
                   {"host_copies", yaml_value(1)},
                   {"fused_reduction", yaml_value(model.fused ? "true" : "false")},
                   {"message_overhead", sourced(rounded(fit.cost.overhead), measured(at, fit))},
                   {"overheads", overheads_map(model, at)},
                   {"eager_limit", eager_limit},
                   {"rendezvous_handshake", handshake},
                   {"reduce_rate", sourced(rounded(model.reduce_rate), measured(at))}});
}

}  // namespace

std::string scenario_yaml(const MachineModel& model, const MeasuredAt& at) {
  MeasuredCluster cluster{model, at};
  const InputValue sizes = yaml_map({{"min", yaml_value(Bytes{64U << 10U})},
                                     {"max", yaml_value(Bytes{64U << 20U})},
                                     {"factor", yaml_value(4)}});
  const InputValue scenario = yaml_map({{"name", yaml_value(model.hosts.front() + ", calibrated")},
                                        {"sizes", sizes},
                                        {"cluster", cluster.map()},
                                        {"transport", transport_map(model, at)}});
  YamlRemarks remarks = cluster.remarks();
  remarks.above[""] = {measured(at)};
  for (const std::string& remark : model.remarks)
    remarks.above[""].push_back("- " + remark);
  return yaml_text(scenario, remarks);
}

std::string machine_table(const MachineModel& model) {
  std::string out;
  const auto add = [&out](std::string_view what, const PairFit& fit) {
    out += fmt::format("{:<16} {:>12} {:>12} {:>12} {:>9.1f} %  {} to {}\n", what,
                       to_text(fit.cost.bandwidth), to_text(fit.cost.latency),
                       to_text(fit.cost.overhead), 100 * fit.residual, to_text(fit.least),
                       to_text(fit.most));
  };
  out += fmt::format("{:<16} {:>12} {:>12} {:>12} {:>11}  {}\n", "#", "bandwidth", "latency",
                     "per message", "residual", "sizes");
  if (model.node) add("within a node", *model.node);
  if (model.network) add("between nodes", *model.network);
  if (model.memory > BytesPerSecond{0}) {
    out += fmt::format("{:<16} {:>12}\n", "memory", to_text(model.memory));
  }
  for (const CachedRate& cached : model.caches) {
    const auto also = [](std::string_view what, BytesPerSecond known) {
      return known > BytesPerSecond{0} ? fmt::format("; {} {}", what, to_text(known)) : "";
    };
    out += fmt::format("{:<16} {:>12}  all at once, buffers of {} together{}{}\n", "cached",
                       to_text(cached.bandwidth), to_text(cached.touched),
                       also("reducing", cached.reduce_rate), also("lent", cached.lent_rate));
  }
  out += fmt::format("{:<16} {:>12}  {}\n", "reduction", to_text(model.reduce_rate),
                     model.fused ? "part of the receive" : "after the receive");
  for (std::size_t group = 0; model.fabric.groups.size() > 1 && group < model.fabric.groups.size();
       ++group) {
    out += fmt::format("{:<16} {:>12}  {}\n", fmt::format("uplink{}", group),
                       to_text(model.fabric.groups[group].uplink),
                       counted(model.fabric.groups[group].nodes.size(), "node"));
  }
  for (const std::string& remark : model.remarks) {
    out += fmt::format("# {}\n", remark);
  }
  return out;
}

}  // namespace ringcast
