#include "app/config/cluster/slurm_yaml.hpp"

#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/config/yaml/yaml_reader.hpp"
#include "topology/import/slurm_topology.hpp"

namespace ringcast {
namespace {

/// Adds `list` under a key of topology.conf, if there is one.
void add_names(const std::optional<InputNode>& list, const std::string& key, SlurmEntry& entry) {
  if (!list) return;
  std::string names = list->text("a list such as n[0-7,12]");
  std::erase_if(names, [](char c) { return c == ' ' || c == '\n' || c == '\t'; });
  entry.values[key] = names;
}

/// The switches of a tree, or the blocks of a block topology: `list` with entries of these keys.
std::vector<SlurmEntry> entries_of(const InputNode& topology, std::string_view list,
                                   const std::vector<std::string_view>& keys) {
  const bool is_tree = list == "switches";
  std::vector<SlurmEntry> entries;
  for (const InputNode& node : topology.require(list, fmt::format("a list of {}", list)).items()) {
    node.allow_keys(keys);
    SlurmEntry entry{static_cast<std::size_t>(node.line() - 1), {}};
    entry.values[is_tree ? "switchname" : "blockname"] = node.require(keys[0], "a name").text();
    add_names(node.find("nodes"), "nodes", entry);
    add_names(node.find("children"), "switches", entry);
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<SlurmEntry> entries_of_tree(const InputNode& tree) {
  tree.allow_keys({"switches"});
  return entries_of(tree, "switches", {"switch", "children", "nodes"});
}

std::vector<SlurmEntry> entries_of_blocks(const InputNode& block) {
  block.allow_keys({"block_sizes", "blocks"});
  return entries_of(block, "blocks", {"block", "nodes"});
}

/// The default topology of jobs. If it is flat, which does not describe the network, another one of
/// the file.
InputNode chosen_topology(const std::vector<InputNode>& topologies) {
  const InputNode* chosen = nullptr;
  for (const InputNode& topology : topologies) {
    const std::optional<InputNode> is_default = topology.find("cluster_default");
    const bool is_first = is_default && is_default->truth();
    if (!topology.find("tree") && !topology.find("block")) continue;
    if (is_first) return topology;
    chosen = chosen == nullptr ? &topology : chosen;
  }
  return chosen == nullptr ? topologies.front() : *chosen;
}

}  // namespace

IbNetwork read_slurm_yaml(const std::string& name, const std::string& text) {
  const std::vector<InputNode> topologies = yaml_of(name, text).one_or_more();
  const InputNode topology = chosen_topology(topologies);
  const std::optional<InputNode> tree = topology.find("tree");
  const std::optional<InputNode> block = topology.find("block");
  if (tree.has_value() == block.has_value()) {
    topology.fail(tree ? "both tree and block" : "neither tree nor block",
                  "the switches of a tree, or the blocks of a block topology");
  }
  // The other topologies may be of kinds that only later versions of Slurm have.
  topology.allow_keys({"topology", "cluster_default", "tree", "block", "flat"});
  IbNetwork network =
      slurm_network(name, tree ? entries_of_tree(*tree) : entries_of_blocks(*block));
  if (topologies.size() > 1) {
    network.remarks.push_back(fmt::format("of {} topologies, {} is taken", topologies.size(),
                                          topology.require("topology", "a name").text()));
  }
  return network;
}

}  // namespace ringcast
