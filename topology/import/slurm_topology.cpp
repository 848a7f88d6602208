#include "topology/import/slurm_topology.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"

namespace ringcast {

namespace detail {

namespace {

constexpr std::size_t most_names = 100'000;

unsigned number_in_range(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw std::invalid_argument{fmt::format("\"{}\" is no number", text)};
  }
  return value;
}

int bracket(char c) {
  return c == '[' ? 1 : c == ']' ? -1 : 0;
}

/// Splits at commas outside of brackets.
std::vector<std::string_view> parts_of_list(std::string_view list) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i == list.size() ? ',' : list[i];
    depth += bracket(c);
    if (depth < 0 || depth > 1 || (i == list.size() && depth != 0)) {
      throw std::invalid_argument{fmt::format("brackets of \"{}\" do not match", list)};
    }
    if (c == ',' && depth == 0) {
      if (i > begin) parts.push_back(list.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  return parts;
}

struct Numbers {
  unsigned first;
  unsigned last;
  std::size_t digits;
};

/// "07-12" or "7"
Numbers numbers_of(std::string_view range) {
  const std::size_t dash = range.find('-');
  const std::string_view first = range.substr(0, dash);
  const std::string_view last = dash == std::string_view::npos ? first : range.substr(dash + 1);
  const Numbers numbers{number_in_range(first), number_in_range(last), first.size()};
  if (numbers.first > numbers.last) {
    throw std::invalid_argument{fmt::format("the range {} falls", range)};
  }
  return numbers;
}

/// Appends each number of "1-3,07" to each name.
std::vector<std::string> with_numbers(const std::vector<std::string>& names,
                                      std::string_view ranges) {
  std::vector<std::string> all;
  for (const std::string& name : names) {
    for (const std::string_view range : parts_of_list(ranges)) {
      const auto [first, last, digits] = numbers_of(range);
      for (unsigned number = first; number <= last; ++number) {
        if (all.size() == most_names) {
          throw std::invalid_argument{fmt::format("more than {} names", most_names)};
        }
        all.push_back(fmt::format("{}{:0{}}", name, number, digits));
      }
    }
  }
  return all;
}

}  // namespace

std::vector<std::string> expand_host_list(std::string_view list) {
  std::vector<std::string> all;
  for (std::string_view part : parts_of_list(list)) {
    std::vector<std::string> names{""};
    while (!part.empty()) {
      const std::size_t bracket = std::min(part.find('['), part.size());
      for (std::string& name : names) {
        name += part.substr(0, bracket);
      }
      part.remove_prefix(bracket);
      if (!part.empty()) {
        const std::size_t end = part.find(']');
        names = with_numbers(names, part.substr(1, end - 1));
        part.remove_prefix(end + 1);
      }
    }
    all.insert(all.end(), names.begin(), names.end());
    if (all.size() > most_names) {
      throw std::invalid_argument{fmt::format("more than {} names", most_names)};
    }
  }
  return all;
}

}  // namespace detail

namespace {

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

class SlurmReader {
 public:
  SlurmReader(const std::string& name, std::span<const std::string> lines)
      : name_{name}, lines_{lines} {}

  IbNetwork read() {
    network_.tool = "Slurm";
    network_.cards_unknown = true;
    for (; line_ < lines_.size(); ++line_) {
      const std::string text = logical_line();
      std::istringstream words{text.substr(0, text.find('#'))};
      std::map<std::string, std::string> values;
      for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos) {
          refuse(fmt::format("\"{}\" (expected SwitchName=..., Nodes=..., Switches=...)", word));
        }
        values[lower_case(word.substr(0, equals))] = word.substr(equals + 1);
      }
      if (values.contains("blockname")) {
        blocks_.push_back(values["blockname"]);
        values.emplace("switchname", values["blockname"]);
      }
      // What the blocks say already; `scontrol show topology` repeats their nodes.
      const bool of_blocks = (values.size() == 1 && values.contains("blocksizes")) ||
                             values.contains("aggregatedblock");
      if (!values.empty() && !of_blocks) {
        add_switch(values);
      }
    }
    check_switches();
    join_blocks();
    if (has_uplinks_) {
      network_.remarks.emplace_back(
          "Slurm does not say how many cables join two switches; one is taken (repeat its line for "
          "each more)");
    }
    if (network_.nodes.empty()) {
      throw ScenarioError{fmt::format("{}: no SwitchName (expected Slurm's topology.conf)", name_)};
    }
    return std::move(network_);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    throw ScenarioError{fmt::format("{}:{}: {}", name_, line_ + 1, problem)};
  }

  /// A line with those that continue it after a backslash.
  std::string logical_line() {
    std::string text = lines_[line_];
    const auto continues = [&text] {
      const std::size_t last = text.find_last_not_of(" \t\r");
      return last != std::string::npos && text[last] == '\\';
    };
    while (continues() && line_ + 1 < lines_.size()) {
      text = text.substr(0, text.find_last_of('\\')) + lines_[++line_];
    }
    return text;
  }

  void add_switch(const std::map<std::string, std::string>& values) {
    const auto own = values.find("switchname");
    if (own == values.end() || own->second.empty()) {
      refuse("no SwitchName (expected SwitchName=s0 Nodes=n[0-7])");
    }
    const auto nodes = values.find("nodes");
    const auto switches = values.find("switches");
    if (nodes == values.end() && switches == values.end()) {
      refuse(
          fmt::format("switch {} without Nodes or Switches (expected one of them)", own->second));
    }
    const auto level = values.find("level");
    if (switches == values.end() && level != values.end() && level->second != "0") {
      refuse(fmt::format("switch {} of level {} without Switches (expected those below it)",
                         own->second, level->second));
    }
    if (!described_.insert(own->second).second) {
      refuse(fmt::format("a second switch {} (expected each once)", own->second));
    }
    const int from = node_named(own->second, true);
    // scontrol show topology lists the nodes below a switch at all switches above it, too.
    if (nodes != values.end() && switches == values.end()) {
      add_cables(from, nodes->second, false);
    }
    if (switches != values.end()) {
      add_cables(from, switches->second, true);
      has_uplinks_ = true;
    }
  }

  void check_switches() {
    for (const auto& [name, line] : below_) {
      line_ = line;
      if (!described_.contains(name)) {
        refuse(fmt::format(
            "no line of switch {} says what is below it (expected SwitchName={} ...)", name, name));
      }
    }
  }

  /// Slurm says nothing of the network between blocks.
  void join_blocks() {
    if (blocks_.size() < 2) {
      return;
    }
    const int root = node_named("blocks", true);
    for (const std::string& block : blocks_) {
      network_.cables.push_back({root, node_named(block, true), ""});
    }
    network_.remarks.emplace_back("one switch is taken to join the blocks");
  }

  void add_cables(int from, const std::string& list, bool are_switches) {
    std::vector<std::string> names;
    try {
      names = detail::expand_host_list(list);
    } catch (const std::invalid_argument& error) {
      refuse(fmt::format("{} (expected a list such as n[0-7,12])", error.what()));
    }
    for (const std::string& name : names) {
      const int to = node_named(name, are_switches);
      if (are_switches) below_.try_emplace(name, line_);
      if (to == from) {
        refuse(fmt::format("switch {} is below itself (expected other switches)", name));
      }
      // Files may name a cable at both of its ends.
      if (joined_.insert(std::minmax(from, to)).second) {
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
  std::span<const std::string> lines_;
  std::size_t line_ = 0;
  std::map<std::string, int> index_;
  std::set<std::string> described_;
  std::map<std::string, std::size_t> below_;  // switches below others, and the first line of each
  std::vector<std::string> blocks_;
  bool has_uplinks_ = false;
  std::set<std::pair<int, int>> joined_;
  IbNetwork network_;
};

}  // namespace

IbNetwork read_slurm_topology(const std::string& name, std::span<const std::string> lines) {
  return SlurmReader{name, lines}.read();
}

}  // namespace ringcast
