#include "topology/import/slurm_topology.hpp"

#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "engine/numbers/ascii.hpp"
#include "engine/numbers/error.hpp"
#include "topology/import/host_list.hpp"

namespace ringcast {

namespace {

/// Rewrites `Nodes = "n1"` as Nodes=n1: Slurm accepts both.
std::string without_blanks_and_quotes(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t';
    if (c == '=') plain.erase(plain.find_last_not_of(" \t") + 1);
    if (c != '"' && !(blank && plain.ends_with('='))) plain += c;
  }
  return plain;
}

[[noreturn]] void refuse_at(const std::string& name, std::size_t line, const std::string& problem) {
  throw ScenarioError{fmt::format("{}:{}: {}", name, line + 1, problem)};
}

/// The line `at` with its continuation lines, which follow a backslash, without comments; moves
/// `at` to the last of them.
std::string logical_line(std::span<const std::string> lines, std::size_t& at) {
  const auto without_comment = [](const std::string& line) {
    return line.substr(0, line.find('#'));
  };
  std::string text = without_comment(lines[at]);
  const auto continues = [&text] {
    const std::size_t last = text.find_last_not_of(" \t\r");
    return last != std::string::npos && text[last] == '\\';
  };
  while (continues() && at + 1 < lines.size()) {
    text = text.substr(0, text.find_last_of('\\')) + without_comment(lines[++at]);
  }
  return text;
}

std::vector<SlurmEntry> entries_of(const std::string& name, std::span<const std::string> lines) {
  std::vector<SlurmEntry> entries;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    std::istringstream words{without_blanks_and_quotes(logical_line(lines, line))};
    SlurmEntry entry{line, {}};
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos) {
        refuse_at(name, line,
                  fmt::format("\"{}\" (expected SwitchName=..., Nodes=..., Switches=...)", word));
      }
      entry.values[lower_case(word.substr(0, equals))] = word.substr(equals + 1);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

class SlurmReader {
 public:
  explicit SlurmReader(const std::string& name) : name_{name} {
    network_.tool = "Slurm";
    network_.nics_unknown = true;
  }

  IbNetwork read(std::span<const SlurmEntry> entries) {
    for (const SlurmEntry& entry : entries) {
      line_ = entry.line;
      add_entry(entry.values);
    }
    check_switches();
    add_hosts();
    join_blocks();
    if (has_uplinks_) {
      network_.remarks.emplace_back(
          "Slurm does not say how many cables join two switches: as many as NICs below are taken, "
          "as one link (change its bandwidth and kernel_bandwidth under links)");
    }
    if (network_.nodes.empty()) {
      throw ScenarioError{fmt::format("{}: no SwitchName (expected Slurm's topology.conf)", name_)};
    }
    return std::move(network_);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const { refuse_at(name_, line_, problem); }

  void add_entry(std::map<std::string, std::string> values) {
    kind_ = values.contains("blockname") ? "block" : "switch";
    if (values.contains("blockname")) {
      blocks_.push_back(values["blockname"]);
      values.emplace("switchname", values["blockname"]);
    }
    // Redundant: `scontrol show topology` repeats the nodes of blocks.
    const bool of_blocks =
        (values.size() == 1 && values.contains("blocksizes")) || values.contains("aggregatedblock");
    if (!values.empty() && !of_blocks) add_switch(values);
  }

  void add_switch(const std::map<std::string, std::string>& values) {
    const auto own = values.find("switchname");
    if (own == values.end() || own->second.empty()) {
      refuse("no SwitchName (expected SwitchName=s0 Nodes=n[0-7])");
    }
    const auto nodes = values.find("nodes");
    const auto switches = values.find("switches");
    if (nodes == values.end() && switches == values.end()) {
      refuse(fmt::format("{} {} has neither nodes nor switches below it (expected one of them)",
                         kind_, own->second));
    }
    const auto level = values.find("level");
    if (switches == values.end() && level != values.end() && level->second != "0") {
      refuse(fmt::format("switch {} of level {} has no switches below it (expected them)",
                         own->second, level->second));
    }
    if (!described_.emplace(own->second, line_).second) {
      refuse(fmt::format("a second {} {} (expected each once)", kind_, own->second));
    }
    const int from = node_named(own->second, true);
    network_.nodes[static_cast<std::size_t>(from)].is_block = kind_ == "block";
    if (nodes != values.end()) {
      listed_[from] = {names_in(nodes->second), line_};
    }
    if (switches != values.end()) {
      add_cables(from, names_in(switches->second), true);
      has_uplinks_ = true;
    }
  }

  void check_switches() {
    for (const auto& [name, line] : below_) {
      line_ = line;
      if (!described_.contains(name)) {
        refuse(
            fmt::format("nothing says what is below switch {} (expected an entry for it)", name));
      }
      if (const int own = index_.at(name); switches_below(own).contains(own)) {
        line_ = described_.at(name);
        refuse(fmt::format("switch {} is below itself (expected other switches)", name));
      }
    }
  }

  /// Slurm does not describe the network between blocks.
  void join_blocks() {
    if (blocks_.size() < 2) {
      return;
    }
    std::string name = "blocks";
    while (index_.contains(name))
      name += "-above";
    const int root = node_named(name, true);
    has_uplinks_ = true;
    for (const std::string& block : blocks_) {
      network_.cables.push_back({root, node_named(block, true), ""});
    }
    network_.remarks.emplace_back("one switch is taken to join the blocks");
  }

  /// `scontrol show topology` lists the hosts of a switch at all switches above it, too: a host is
  /// connected to the lowest switch that lists it.
  void add_hosts() {
    for (auto& [from, listed] : listed_) {
      const std::set<std::string> repeated = listed_below(from);
      std::erase_if(listed.names, [&](const std::string& name) { return repeated.contains(name); });
    }
    for (const auto& [from, listed] : listed_) {
      line_ = listed.line;
      add_cables(from, listed.names, false);
    }
  }

  /// The hosts listed by the switches below one.
  [[nodiscard]] std::set<std::string> listed_below(int from) const {
    std::set<std::string> hosts;
    for (const int below : switches_below(from)) {
      if (const auto found = listed_.find(below); found != listed_.end()) {
        hosts.insert(found->second.names.begin(), found->second.names.end());
      }
    }
    return hosts;
  }

  /// The switches on all levels below one.
  [[nodiscard]] std::set<int> switches_below(int from) const {
    std::set<int> found;
    for (std::vector<int> pending{from}; !pending.empty();) {
      const auto [first, last] = next_below_.equal_range(pending.back());
      pending.pop_back();
      for (auto below = first; below != last; ++below) {
        if (found.insert(below->second).second) pending.push_back(below->second);
      }
    }
    return found;
  }

  [[nodiscard]] std::vector<std::string> names_in(const std::string& list) const {
    if (lower_case(list) == "all") {
      refuse(fmt::format("{} names no hosts (expected a list such as n[0-7,12])", list));
    }
    try {
      return expand_host_list(list);
    } catch (const std::invalid_argument& error) {
      refuse(fmt::format("{} (expected a list such as n[0-7,12])", error.what()));
    }
  }

  void add_cables(int from, const std::vector<std::string>& names, bool are_switches) {
    for (const std::string& name : names) {
      const int to = node_named(name, are_switches);
      if (are_switches) {
        below_.try_emplace(name, line_);
        next_below_.emplace(from, to);
      }
      // A list may repeat a name.
      if (joined_.emplace(from, to).second) {
        network_.cables.push_back({from, to, ""});
      }
    }
  }

  int node_named(const std::string& name, bool is_switch) {
    const auto [found, is_new] = index_.try_emplace(name, static_cast<int>(network_.nodes.size()));
    if (is_new) {
      network_.nodes.push_back({name, is_switch ? "" : name, is_switch});
    } else if (network_.nodes[static_cast<std::size_t>(found->second)].is_switch != is_switch) {
      refuse(fmt::format("{} is both a switch and a node (expected names of their own)", name));
    }
    return found->second;
  }

  const std::string& name_;
  std::size_t line_ = 0;
  std::string_view kind_;  // of the current entry: switch or block
  std::map<std::string, int> index_;
  std::map<std::string, std::size_t> described_;  // the line of each switch
  std::map<std::string, std::size_t> below_;  // switches below others, and the first line of each
  struct Listed {
    std::vector<std::string> names;
    std::size_t line = 0;
  };
  std::map<int, Listed> listed_;  // the hosts of each switch, by its index
  std::multimap<int, int> next_below_;
  std::vector<std::string> blocks_;
  bool has_uplinks_ = false;
  std::set<std::pair<int, int>> joined_;
  IbNetwork network_;
};

}  // namespace

IbNetwork slurm_network(const std::string& name, std::span<const SlurmEntry> entries) {
  return SlurmReader{name}.read(entries);
}

IbNetwork read_slurm_topology(const std::string& name, std::span<const std::string> lines) {
  return slurm_network(name, entries_of(name, lines));
}

}  // namespace ringcast
