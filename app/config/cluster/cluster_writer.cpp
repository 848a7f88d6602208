#include "app/config/cluster/cluster_writer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/common/mapped.hpp"
#include "app/config/cluster/amd_peer_limits.hpp"
#include "app/config/cluster/cable_reader.hpp"
#include "app/config/cluster/nvlink_domains.hpp"
#include "app/config/cluster/staging_limits.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {
namespace {

void add_rate(InputValue& map, std::string key, BytesPerSecond rate) {
  if (rate > BytesPerSecond{0}) add_entry(map, std::move(key), yaml_value(rate));
}

void add_count(InputValue& map, std::string key, int count) {
  if (count != 1) add_entry(map, std::move(key), yaml_value(count));
}

template <typename Part, typename ToValue>
void add_parts(InputValue& map, std::string key, const std::vector<Part>& parts,
               const ToValue& to_value) {
  if (!parts.empty()) add_entry(map, std::move(key), yaml_list(mapped(parts, to_value)));
}

/// True if a cable has the values of a class; names may differ.
bool has_values_of(const CableSpec& cable, const LinkClass& link_class) {
  CableSpec same = cable_of(link_class);
  same.name = cable.name;
  same.link_class = cable.link_class;
  return same == cable;
}

InputValue cable_values(const CableSpec& cable) {
  InputValue values;
  if (!cable.base_class.empty()) add_entry(values, "class", yaml_value(cable.base_class));
  add_entry(values, "bandwidth", yaml_value(cable.bandwidth));
  add_entry(values, "latency", yaml_value(cable.latency));
  add_rate(values, "peer_bandwidth", cable.peer_bandwidth);
  add_rate(values, "both_ways", cable.both_ways);
  add_rate(values, "kernel_bandwidth", cable.kernel_bandwidth);
  add_entry(values, "source", yaml_value(cable.source));
  return values;
}

InputValue named_cable(const CableSpec& cable) {
  for (const LinkClass& link_class : link_classes()) {
    if (has_values_of(cable, link_class)) return yaml_value(link_class.name);
  }
  return cable_values(cable);
}

/// The reader replaces the rate of a class by that of a link without a switch.
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
  InputValue of(const ClusterSpec& spec) {
    InputValue types;
    for (const NodeTypeSpec& type : spec.node_types)
      add_entry(types, type.name, node_type(type));
    const InputValue fabric = fabric_of(spec);
    InputValue file;
    add_entry(file, "name", yaml_value(spec.name));
    if (!spec.source.empty()) add_entry(file, "source", yaml_value(spec.source));
    if (!links_.items.empty()) add_entry(file, "links", links_);
    add_entry(file, "node_types", std::move(types));
    add_parts(file, "nodes", spec.nodes, [](const NodeGroupSpec& group) {
      InputValue entry;
      add_entry(entry, "type", yaml_value(group.type));
      add_count(entry, "count", group.count);
      return entry;
    });
    if (!fabric.items.empty()) add_entry(file, "fabric", fabric);
    return file;
  }

 private:
  void add_link(InputValue& map, std::string key, const CableSpec& cable) {
    add_entry(map, std::move(key), link(cable));
  }
  void add_link(InputValue& map, std::string key, const std::optional<CableSpec>& cable) {
    if (cable) add_link(map, std::move(key), *cable);
  }

  InputValue link(const CableSpec& built) {
    const CableSpec cable = with_limit_of_class(built);
    const LinkClass* const link_class = find_link_class(cable.name);
    const bool is_named = cable.name == cable.link_class && !cable.name.empty();
    if (!is_named || (link_class != nullptr && !has_values_of(cable, *link_class))) {
      return cable_values(built);
    }
    const bool is_known =
        std::ranges::find(links_.keys, cable.name, &InputValue::text) != links_.keys.end();
    if (link_class == nullptr && !is_known) add_entry(links_, cable.name, named_cable(cable));
    return yaml_value(cable.name);
  }

  InputValue device(const DeviceSpec& spec) {
    const std::string_view kind = spec.kind == VertexKind::gpu   ? "gpu"
                                  : spec.kind == VertexKind::nic ? "nic"
                                                                 : "pcie-switch";
    InputValue device;
    add_entry(device, "kind", yaml_value(std::string{kind}));
    add_count(device, "count", spec.count);
    add_link(device, "link", spec.cable);
    add_parts(device, "devices", spec.devices,
              [this](const DeviceSpec& below) { return this->device(below); });
    return device;
  }

  InputValue socket(const SocketSpec& spec) {
    InputValue socket;
    add_count(socket, "count", spec.count);
    if (spec.processes > 0) add_entry(socket, "processes", yaml_value(spec.processes));
    add_link(socket, "process_link", spec.process_cable);
    add_rate(socket, "memory", spec.memory);
    add_parts(socket, "caches", spec.caches, [](const CachedRate& cached) {
      InputValue entry;
      add_entry(entry, "touched", yaml_value(cached.touched));
      add_entry(entry, "bandwidth", yaml_value(cached.bandwidth));
      add_rate(entry, "reduce_rate", cached.reduce_rate);
      add_rate(entry, "lent_rate", cached.lent_rate);
      return entry;
    });
    add_parts(socket, "root_complexes", spec.root_complexes, [this](const RootComplexSpec& root) {
      InputValue entry;
      add_count(entry, "count", root.count);
      add_link(entry, "link", root.cable);
      add_parts(entry, "devices", root.devices,
                [this](const DeviceSpec& each) { return device(each); });
      return entry;
    });
    if (socket.items.empty()) add_entry(socket, "count", yaml_value(1));
    return socket;
  }

  InputValue node_type(const NodeTypeSpec& spec) {
    InputValue type;
    if (spec.amd && !has_amd_socket_link(spec)) add_entry(type, "cpu", yaml_value("amd"));
    if (!spec.gpudirect) add_entry(type, "gpudirect", yaml_value("false"));
    add_link(type, "socket_link", spec.socket_cable);
    add_parts(type, "sockets", spec.sockets,
              [this](const SocketSpec& each) { return socket(each); });
    add_parts(type, "nvlinks", spec.nvlinks, [this](const NvlinkSpec& nvlink) {
      InputValue entry;
      add_entry(entry, "between", yaml_list({yaml_value(nvlink.gpu_a), yaml_value(nvlink.gpu_b)}));
      add_entry(entry, "links", yaml_value(nvlink.links));
      add_link(entry, "link", as_through_a_switch(nvlink.cable));
      return entry;
    });
    if (spec.nvswitch) {
      InputValue nvswitch;
      add_entry(nvswitch, "links_per_gpu", yaml_value(spec.nvswitch->links_per_gpu));
      add_link(nvswitch, "link", spec.nvswitch->cable);
      if (default_domain(spec) > 1) add_entry(nvswitch, "nodes", yaml_value(1));  // all of it
      add_entry(type, "nvswitch", std::move(nvswitch));
    }
    return type;
  }

  InputValue fabric_of(const ClusterSpec& spec) {
    InputValue fabric;
    if (spec.single_switch) {
      add_entry(fabric, "kind", yaml_value("switch"));
      add_count(fabric, "rails", spec.single_switch->rails);
      add_link(fabric, "link", spec.single_switch->cable);
    } else if (const auto& tree = spec.fat_tree) {
      add_entry(fabric, "kind", yaml_value("fat-tree"));
      add_entry(fabric, "levels", yaml_value(tree->levels));
      add_entry(fabric, "radix", yaml_value(tree->radix));
      add_entry(fabric, "oversubscription", yaml_value(fmt::format("{}", tree->oversubscription)));
      add_count(fabric, "rails", tree->rails);
      add_link(fabric, "link", tree->cable);
      add_link(fabric, "uplink", tree->uplink);
    } else if (const auto& own = spec.explicit_fabric) {
      add_entry(fabric, "kind", yaml_value("explicit"));
      add_parts(fabric, "switches", own->switches,
                [](const std::string& name) { return yaml_value(name); });
      add_parts(fabric, "cables", own->cables, [this](const ExplicitFabricSpec::Cable& cable) {
        InputValue entry;
        add_entry(entry, "from", yaml_value(cable.from));
        add_entry(entry, "to", yaml_value(cable.to));
        add_link(entry, "link", cable.cable);
        return entry;
      });
    }
    return fabric;
  }

  InputValue links_;
};

}  // namespace

std::string to_yaml(const ClusterSpec& spec, const YamlRemarks& remarks) {
  return yaml_text(yaml_map(spec), remarks);
}

InputValue yaml_map(const ClusterSpec& spec) {
  return ClusterFile{}.of(spec);
}

}  // namespace ringcast
