#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "app/common/mapped.hpp"
#include "app/config/cluster/cluster_parts.hpp"
#include "app/config/yaml/nearest_name.hpp"
#include "engine/numbers/ascii.hpp"
#include "topology/cluster/part_of_cluster.hpp"

namespace ringcast {

namespace {

CableSpec fabric_cable(const InputNode& node, const NamedCables& named) {
  return read_cable(LinkUse::fabric, node.require("link", "the cable, e.g. infiniband-fdr-4x"),
                    named);
}

SingleSwitchSpec read_single_switch(const InputNode& fabric, const NamedCables& named) {
  fabric.allow_keys_of("fabric of kind switch");
  return {fabric.count("rails"), fabric_cable(fabric, named)};
}

/// Also as a ratio of ports: `2:1`, `40:24`.
double read_oversubscription(const InputNode& node) {
  const std::string text = node.text();
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return node.number(1, 1000);
  const auto down = number_of<double>(text.substr(0, colon));
  const auto up = number_of<double>(text.substr(colon + 1));
  if (!down || !up || *up <= 0) return node.number(1, 1000);
  const double ratio = *down / *up;
  if (!(ratio >= 1 && ratio <= 1000)) {
    node.fail(fmt::format("{} is out of range", printable(text)), "a ratio from 1:1 to 1000:1");
  }
  return ratio;
}

FatTreeSpec read_fat_tree(const InputNode& fabric, const NamedCables& named) {
  fabric.allow_keys_of("fabric of kind fat-tree");
  FatTreeSpec tree;
  if (const auto levels = fabric.find("levels")) {
    tree.levels = levels->integer(2, 3);
  }
  tree.radix = fabric.require("radix", "the ports of a switch, e.g. 36").integer(2, 100'000);
  if (const auto oversubscription = fabric.find("oversubscription")) {
    tree.oversubscription = read_oversubscription(*oversubscription);
  }
  tree.rails = fabric.count("rails");
  tree.cable = fabric_cable(fabric, named);
  if (const auto uplink = fabric.find("uplink"))
    tree.uplink = read_cable(LinkUse::fabric, *uplink, named);
  if (const auto routing = fabric.find("routing")) {
    tree.adaptive_routing =
        routing->one_of("routing", {NamedValue{"by-destination", false}, {"adaptive", true}});
  }
  return tree;
}

/// The parts of each node.
std::vector<NodeParts> parts_of_nodes(const ClusterSpec& cluster) {
  std::vector<NodeParts> parts;
  for (const NodeGroupSpec& group : cluster.nodes) {
    const auto type = std::ranges::find(cluster.node_types, group.type, &NodeTypeSpec::name);
    parts.insert(parts.end(), static_cast<std::size_t>(group.count), parts_of(*type));
  }
  return parts;
}

/// The NICs of a node as the file lists it, which may be one of several that are one node.
struct ListedNics {
  std::size_t node = 0;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Those of all nodes in the file's order. A node that NVSwitches join has the sockets of all.
std::vector<ListedNics> nics_of_nodes(const ClusterSpec& as_listed, const ClusterSpec& cluster) {
  const std::vector<NodeParts> nodes = parts_of_nodes(cluster);
  std::vector<ListedNics> nics;
  ListedNics next;
  std::int64_t sockets = 0;
  for (const NodeParts& listed : parts_of_nodes(as_listed)) {
    nics.push_back({next.node, next.first, listed.nics});
    next.first += listed.nics;
    sockets += listed.sockets;
    if (sockets < nodes[next.node].sockets) continue;
    next = {next.node + 1, 0, 0};
    sockets = 0;
  }
  return nics;
}

/// Removes `prefix` and the number after it from the front of `text`; nothing if they are not
/// there.
std::optional<std::size_t> take_number(std::string_view prefix, std::string_view& text) {
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool has_leading_zero = text.starts_with('0') && end != text.data() + 1;
  if (error != std::errc{} || has_leading_zero) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The possible ends of a cable of an explicit fabric.
struct Ends {
  std::set<std::string, std::less<>> switches;
  std::vector<ListedNics> nics;                           // by node as listed
  std::map<std::string, std::size_t, std::less<>> hosts;  // their nodes; empty: nodes have numbers

  /// The name of a NIC in the cluster; empty: there is none.
  [[nodiscard]] std::string nic_named(const std::string& name) const {
    std::string_view rest = name;
    const auto node = hosts.empty() ? take_number("node", rest) : take_host(rest);
    const auto nic = node ? take_number(".nic", rest) : std::nullopt;
    if (!nic || !rest.empty() || *node >= nics.size()) return "";
    const ListedNics& listed = nics[*node];
    if (static_cast<std::int64_t>(*nic) >= listed.count) return "";
    if (!hosts.empty()) return name;
    return fmt::format("node{}.nic{}", listed.node, listed.first + static_cast<std::int64_t>(*nic));
  }
  /// Removes a host from the front of `name`, and returns its node.
  [[nodiscard]] std::optional<std::size_t> take_host(std::string_view& name) const {
    const std::size_t point = std::min(name.rfind('.'), name.size());
    const auto host = hosts.find(name.substr(0, point));
    if (host == hosts.end()) return std::nullopt;
    name.remove_prefix(point);
    return host->second;
  }
  [[nodiscard]] std::string example() const {
    return fmt::format("{}.nic0", hosts.empty() ? "node0" : hosts.begin()->first);
  }
};

std::string read_end(const InputNode& node, const Ends& ends) {
  std::string name = node.text();
  if (ends.switches.contains(name)) return name;
  if (std::string nic = ends.nic_named(name); !nic.empty()) return nic;
  const std::vector<std::string_view> names{ends.switches.begin(), ends.switches.end()};
  node.fail(fmt::format("a cable to nowhere: {}{}", in_quotes(name), suggestion(name, names)),
            fmt::format("a name under switches, or a NIC, e.g. {}", ends.example()));
}

ExplicitFabricSpec::Cable read_fabric_cable(const InputNode& node, const Ends& ends,
                                            const NamedCables& named) {
  node.allow_keys_of("cables entry");
  const std::string expected = fmt::format("a switch or a NIC, e.g. {}", ends.example());
  ExplicitFabricSpec::Cable cable{read_end(node.require("from", expected), ends),
                                  read_end(node.require("to", expected), ends),
                                  fabric_cable(node, named)};
  if (cable.from == cable.to) {
    node.fail(fmt::format("a cable from {} to itself", printable(cable.from)), "two ends");
  }
  if (node.require("link", "a cable").is_map()) {
    cable.cable.name = fmt::format("{} - {}", printable(cable.from), printable(cable.to));
  }
  return cable;
}

ExplicitFabricSpec read_explicit(const InputNode& fabric, const NamedCables& named, Ends ends) {
  fabric.allow_keys_of("fabric of kind explicit");
  ExplicitFabricSpec spec;
  for (const InputNode& item : fabric.items("switches")) {
    const std::string name = item.text();
    if (!ends.nic_named(name).empty()) item.fail("is the name of a NIC", "a name of its own");
    if (!ends.switches.insert(name).second) {
      item.fail(fmt::format("{} is repeated", in_quotes(name)), "each switch once");
    }
    spec.switches.push_back(name);
  }
  spec.cables = mapped(fabric.require("cables", "a list of {from, to, link}").items(),
                       [&](const InputNode& item) { return read_fabric_cable(item, ends, named); });
  return spec;
}

}  // namespace

void read_fabric(const InputNode& fabric, const NamedCables& named, const ClusterSpec& as_listed,
                 ClusterSpec& cluster) {
  static constexpr std::string_view kinds[] = {"switch", "fat-tree", "explicit"};
  const std::string kind =
      fabric.require("kind", "switch, fat-tree or explicit").one_of("kind", kinds);
  if (kind == "switch") {
    cluster.single_switch = read_single_switch(fabric, named);
  } else if (kind == "fat-tree") {
    cluster.fat_tree = read_fat_tree(fabric, named);
  } else {
    Ends ends{{}, nics_of_nodes(as_listed, cluster), {}};
    for (const std::string& host : hosts_of_nodes(cluster))
      ends.hosts.emplace(host, ends.hosts.size());
    cluster.explicit_fabric = read_explicit(fabric, named, std::move(ends));
  }
}

}  // namespace ringcast
