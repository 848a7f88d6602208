#include "app/config/cluster/slurm_yaml.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/config/yaml/yaml_reader.hpp"

namespace ringcast {
namespace {

/// Writes lines of topology.conf, each at or after a line of the YAML file.
class ConfLines {
 public:
  void add(const InputNode& at, const std::string& line) {
    lines_.resize(std::max(lines_.size(), static_cast<std::size_t>(at.line() - 1)));
    lines_.push_back(line);
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
};

/// `Nodes=n[0-7]` for the key `nodes`; empty without it.
std::string list_of(const InputNode& entry, std::string_view key, std::string_view word) {
  const std::optional<InputNode> list = entry.find(key);
  if (!list) return "";
  std::string names = list->text("a list such as n[0-7,12]");
  std::erase_if(names, [](char c) { return c == ' ' || c == '\n' || c == '\t'; });
  return fmt::format(" {}={}", word, names);
}

std::string name_of_entry(const InputNode& entry, std::string_view key) {
  const InputNode name = entry.require(key, "a name");
  if (name.text().find_first_of(" \t\n=#") != std::string::npos) {
    name.fail(in_quotes(name.text()), "a name without blanks");
  }
  return name.text();
}

void add_tree(const InputNode& tree, ConfLines& lines) {
  tree.allow_keys(std::array<std::string_view, 1>{"switches"});
  for (const InputNode& entry : tree.require("switches", "a list of switches").items()) {
    entry.allow_keys(std::array<std::string_view, 3>{"switch", "children", "nodes"});
    lines.add(entry, fmt::format("SwitchName={}{}{}", name_of_entry(entry, "switch"),
                                 list_of(entry, "nodes", "Nodes"),
                                 list_of(entry, "children", "Switches")));
  }
}

void add_blocks(const InputNode& block, ConfLines& lines) {
  block.allow_keys(std::array<std::string_view, 2>{"block_sizes", "blocks"});
  for (const InputNode& entry : block.require("blocks", "a list of blocks").items()) {
    entry.allow_keys(std::array<std::string_view, 2>{"block", "nodes"});
    lines.add(entry, fmt::format("BlockName={}{}", name_of_entry(entry, "block"),
                                 list_of(entry, "nodes", "Nodes")));
  }
}

/// The topology that jobs get unless their partition names another. One that is flat says nothing
/// of the network; then another of the file does.
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

SlurmYaml read_slurm_yaml(const std::string& name, const std::string& text) {
  const std::vector<InputNode> topologies = yaml_of(name, text).one_or_more();
  const InputNode topology = chosen_topology(topologies);
  const std::optional<InputNode> tree = topology.find("tree");
  const std::optional<InputNode> block = topology.find("block");
  if (tree.has_value() == block.has_value()) {
    topology.fail(tree ? "both tree and block" : "neither tree nor block",
                  "the switches of a tree, or the blocks of a block topology");
  }
  // Others may be of kinds that later versions of Slurm have.
  topology.allow_keys(
      std::array<std::string_view, 5>{"topology", "cluster_default", "tree", "block", "flat"});
  ConfLines lines;
  if (tree) {
    add_tree(*tree, lines);
  } else {
    add_blocks(*block, lines);
  }
  std::string remark;
  if (topologies.size() > 1) {
    remark = fmt::format("of {} topologies, {} is taken", topologies.size(),
                         name_of_entry(topology, "topology"));
  }
  return {lines.take(), remark};
}

}  // namespace ringcast
