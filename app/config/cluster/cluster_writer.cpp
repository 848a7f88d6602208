#include "app/config/cluster/cluster_writer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/common/mapped.hpp"
#include "app/config/cluster/amd_peer_limits.hpp"
#include "app/config/cluster/cluster_parts.hpp"
#include "app/config/cluster/nvlink_domains.hpp"
#include "app/config/cluster/staging_limits.hpp"
#include "topology/import/host_list.hpp"
#include "topology/links/gpu_models.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {
namespace {

// A file leaves out a count of 1, a rate of 0, an empty text or list, and what is absent.

InputValue value_of_rate(BytesPerSecond rate) {
  return rate > BytesPerSecond{0} ? yaml_value(rate) : InputValue{};
}

InputValue value_of_count(int count) {
  return count == 1 ? InputValue{} : yaml_value(count);
}

InputValue value_of_routing(bool is_adaptive) {
  return is_adaptive ? yaml_value("adaptive") : InputValue{};
}

InputValue value_of_text(const std::string& text) {
  return text.empty() ? InputValue{} : yaml_value(text);
}

/// True if a cable has the values of a class; names may differ.
bool has_values_of(const CableSpec& cable, const LinkClass& link_class) {
  CableSpec same = cable_of(link_class);
  same.name = cable.name;
  same.link_class = cable.link_class;
  return same == cable;
}

InputValue cable_values(const CableSpec& cable) {
  return yaml_map({{"class", value_of_text(cable.base_class)},
                   {"bandwidth", yaml_value(cable.bandwidth)},
                   {"latency", yaml_value(cable.latency)},
                   {"peer_bandwidth", value_of_rate(cable.peer_bandwidth)},
                   {"both_ways", value_of_rate(cable.both_ways)},
                   {"kernel_bandwidth", value_of_rate(cable.kernel_bandwidth)},
                   {"source", yaml_value(cable.source)}});
}

InputValue named_cable(const CableSpec& cable) {
  for (const LinkClass& link_class : link_classes()) {
    if (has_values_of(cable, link_class)) return yaml_value(link_class.name);
  }
  const LinkClass* const scaled = find_link_class(cable.base_class);
  if (scaled != nullptr && has_values_of(cable, *scaled)) return yaml_value(scaled->name);
  return cable_values(cable);
}

/// Undoes the reader's replacement of a class's rate by that of a link without a switch.
CableSpec as_through_a_switch(CableSpec cable) {
  const LinkClass* const link_class = find_link_class(cable.base_class);
  if (link_class != nullptr && link_class->direct_achievable > BytesPerSecond{0} &&
      cable.bandwidth == link_class->direct_achievable) {
    cable.bandwidth = link_class->achievable;
  }
  return cable;
}

class ClusterFile {
 public:
  /// `pcie`: generation_of_pcie() of the cluster.
  explicit ClusterFile(int pcie) : pcie_{pcie} {}
  InputValue of(const ClusterSpec& spec) {
    std::vector<YamlEntry> types;
    for (const NodeTypeSpec& type : spec.node_types)
      types.push_back({type.name, value(type)});
    const InputValue fabric = fabric_of(spec);
    return yaml_map({{"name", yaml_value(spec.name)},
                     {"source", value_of_text(spec.source)},
                     {"links", yaml_map(links_)},  // what the node types and the fabric use
                     {"node_types", yaml_map(types)},
                     {"nodes", value(spec.nodes)},
                     {"fabric", fabric}});
  }

 private:
  template <typename Part>
  InputValue value(const std::vector<Part>& parts) {
    const auto of_part = [this](const Part& part) { return value(part); };
    return parts.empty() ? InputValue{} : yaml_list(mapped(parts, of_part));
  }

  InputValue value(const std::optional<CableSpec>& cable) {
    return cable ? value(*cable) : InputValue{};
  }
  InputValue value(const CableSpec& built) {
    const CableSpec cable = with_limit_of_class(built, pcie_);
    const LinkClass* const link_class = find_link_class(cable.name);
    const bool is_named = cable.name == cable.link_class && !cable.name.empty();
    if (!is_named || (link_class != nullptr && !has_values_of(cable, *link_class))) {
      return cable_values(built);
    }
    const bool is_known = std::ranges::find(links_, cable.name, &YamlEntry::key) != links_.end();
    if (link_class == nullptr && !is_known) links_.push_back({cable.name, named_cable(cable)});
    return yaml_value(cable.name);
  }

  InputValue value(const DeviceSpec& spec) {
    const auto* const kind =
        std::ranges::find(device_kinds, spec.kind, &NamedValue<VertexKind>::value);
    return yaml_map({{"kind", yaml_value(std::string{kind->name})},
                     {"count", value_of_count(spec.count)},
                     {"link", value(spec.cable)},
                     {"devices", value(spec.devices)}});
  }

  InputValue value(const RootComplexSpec& spec) {
    return yaml_map({{"count", value_of_count(spec.count)},
                     {"link", value(spec.cable)},
                     {"devices", value(spec.devices)}});
  }

  static InputValue value(const CachedRate& cached) {
    return yaml_map({{"touched", yaml_value(cached.touched)},
                     {"bandwidth", yaml_value(cached.bandwidth)},
                     {"reduce_rate", value_of_rate(cached.reduce_rate)},
                     {"lent_rate", value_of_rate(cached.lent_rate)}});
  }

  InputValue value(const SocketSpec& spec) {
    const bool has_processes = spec.processes > 0;
    InputValue socket =
        yaml_map({{"count", value_of_count(spec.count)},
                  {"processes", has_processes ? yaml_value(spec.processes) : InputValue{}},
                  {"process_link", value(spec.process_cable)},
                  {"memory", value_of_rate(spec.memory)},
                  {"staging_bandwidth", value_of_rate(spec.staging_bandwidth)},
                  {"caches", value(spec.caches)},
                  {"root_complexes", value(spec.root_complexes)}});
    return socket.items.empty() ? yaml_map({{"count", yaml_value(1)}}) : socket;
  }

  InputValue value(const NvlinkSpec& spec) {
    return yaml_map({{"between", yaml_list({yaml_value(spec.gpu_a), yaml_value(spec.gpu_b)})},
                     {"links", yaml_value(spec.links)},
                     {"link", value(as_through_a_switch(spec.cable))}});
  }

  InputValue nvswitch_of(const NodeTypeSpec& spec) {
    if (!spec.nvswitch) return {};
    const bool is_whole_domain = default_domain(spec) > 1;
    return yaml_map({{"links_per_gpu", yaml_value(spec.nvswitch->links_per_gpu)},
                     {"link", value(spec.nvswitch->cable)},
                     {"nodes", is_whole_domain ? yaml_value(1) : InputValue{}}});
  }

  /// Absent if the GPUs have it, as their model does.
  static InputValue gpudirect_of(const NodeTypeSpec& spec) {
    const GpuModel* const model = find_gpu_model(spec.gpu);
    if (!spec.gpudirect) return value_of_text("false");
    return value_of_text(model == nullptr || model->gpudirect ? "" : "true");
  }

  InputValue value(const NodeTypeSpec& spec) {
    return yaml_map({{"cpu", value_of_text(spec.amd && !has_amd_socket_link(spec) ? "amd" : "")},
                     {"gpu", value_of_text(spec.gpu)},
                     {"gpudirect", gpudirect_of(spec)},
                     {"socket_link", value(spec.socket_cable)},
                     {"sockets", value(spec.sockets)},
                     {"nvlinks", value(spec.nvlinks)},
                     {"nvswitch", nvswitch_of(spec)}});
  }

  static InputValue value(const NodeGroupSpec& group) {
    const bool named = !group.hosts.empty();
    return yaml_map({{"type", yaml_value(group.type)},
                     named ? YamlEntry{"hosts", yaml_value(to_host_list(group.hosts))}
                           : YamlEntry{"count", value_of_count(group.count)}});
  }

  static InputValue value(const std::string& switch_name) { return yaml_value(switch_name); }
  InputValue value(const ExplicitFabricSpec::Cable& cable) {
    return yaml_map({{"from", yaml_value(cable.from)},
                     {"to", yaml_value(cable.to)},
                     {"link", value(cable.cable)}});
  }

  InputValue fabric_of(const ClusterSpec& spec) {
    if (const auto& single = spec.single_switch) {
      return yaml_map({{"kind", yaml_value("switch")},
                       {"rails", value_of_count(single->rails)},
                       {"link", value(single->cable)}});
    }
    if (const auto& tree = spec.fat_tree) {
      return yaml_map({{"kind", yaml_value("fat-tree")},
                       {"levels", yaml_value(tree->levels)},
                       {"radix", yaml_value(tree->radix)},
                       {"oversubscription", yaml_value(fmt::format("{}", tree->oversubscription))},
                       {"rails", value_of_count(tree->rails)},
                       {"link", value(tree->cable)},
                       {"uplink", value(tree->uplink)},
                       {"routing", value_of_routing(tree->adaptive_routing)}});
    }
    if (const auto& own = spec.explicit_fabric) {
      return yaml_map({{"kind", yaml_value("explicit")},
                       {"switches", value(own->switches)},
                       {"cables", value(own->cables)}});
    }
    return {};
  }

  int pcie_;
  std::vector<YamlEntry> links_;
};

}  // namespace

std::string to_yaml(const ClusterSpec& spec, const YamlRemarks& remarks) {
  return yaml_text(yaml_map(spec), remarks);
}

InputValue yaml_map(const ClusterSpec& spec) {
  return ClusterFile{generation_of_pcie(spec).value_or(oldest_pcie)}.of(spec);
}

}  // namespace ringcast
