#include "app/calibrate/machine_files.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "app/common/counted.hpp"

namespace ringcast {
namespace {

bool alike(BytesPerSecond a, BytesPerSecond b) {
  return std::abs(a.value() / b.value() - 1) <= 0.1;
}

// More digits than a measurement has, so that what is written is what was fitted.
std::string rate(BytesPerSecond value) {
  return fmt::format("{:.6f} GB/s", value.value() / 1e9);
}
std::string if_known(std::string_view key, BytesPerSecond value) {
  return value > BytesPerSecond{0} ? fmt::format("{}{}", key, rate(value)) : "";
}
std::string time(Seconds value) {
  return fmt::format("{:.4f} us", value.count() * 1e6);
}
std::string size(Bytes value) {
  return fmt::format("{} B", value.count());
}

/// A text that YAML cannot take for anything else.
std::string quoted(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped.push_back('\\');
    escaped.push_back(c == '\n' ? ' ' : c);
  }
  return fmt::format("\"{}\"", escaped);
}

std::string measured(const MeasuredAt& at) {
  return fmt::format("measured by ringcast calibrate on {} at {}", at.host, at.time);
}
std::string source(const MeasuredAt& at, const PairFit& fit) {
  return quoted(fmt::format("{}, sizes {} to {}, residual {:.1f} %, worst {:.1f} % at {}",
                            measured(at), to_text(fit.least), to_text(fit.most), 100 * fit.residual,
                            100 * fit.worst, to_text(fit.worst_size)));
}

class ClusterText {
 public:
  ClusterText(const MachineModel& model, const MeasuredAt& at) : model_{model}, at_{at} {}

  std::string text() {
    out_ = fmt::format("# {}\n", measured(at_));
    for (const std::string& remark : model_.remarks) {
      out_ += fmt::format("# - {}\n", remark);
    }
    out_ += fmt::format("name: {}\nsource: {}\n", quoted(model_.hosts.front() + ", calibrated"),
                        quoted(measured(at_)));
    add_links();
    add_node_types();
    if (model_.network) add_fabric();
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
    out_ += "\n";
  }

  void add_links() {
    line("links:");
    const PairFit& core = model_.node ? *model_.node : *model_.network;
    line("  # what one core copies from a neighbour{}",
         model_.node ? "" : "; not measured, as no node has two ranks: the network's rate");
    line("  core: {{bandwidth: {}, latency: {}, source: {}}}", rate(core.cost.bandwidth),
         time(model_.node ? core.cost.latency : Seconds{0}), source(at_, core));
    if (!model_.network) return;
    // A message crosses two network cables; the cards' own cables are not told apart from them.
    const Seconds latency = model_.network->cost.latency / 2;
    line("  card: {{bandwidth: {}, latency: {}{}, source: {}}}", rate(model_.usual_card),
         time(latency), both_ways(model_.usual_card), source(at_, *model_.network));
    line("  # of a card to its socket: not told apart from the network cable");
    line("  slot: {{bandwidth: {}, latency: 0, source: {}}}", rate(fastest_card()),
         quoted(measured(at_)));
    for (std::size_t node = 0; node < model_.cards.size(); ++node) {
      if (alike(model_.cards[node], model_.usual_card)) continue;
      line("  card-of-node{}: {{bandwidth: {}, latency: {}{}, source: {}}}", node,
           rate(model_.cards[node]), time(latency), both_ways(model_.cards[node]),
           quoted(measured(at_)));
    }
    for (std::size_t group = 0; grouped() && group < model_.fabric.groups.size(); ++group) {
      line("  uplink{}: {{bandwidth: {}, latency: 0, source: {}}}", group,
           rate(model_.fabric.groups[group].uplink),
           quoted(measured(at_) + ", what the group's streams to others reached together"));
    }
  }

  [[nodiscard]] std::string both_ways(BytesPerSecond card) const {
    if (model_.both_ways == BytesPerSecond{0}) return "";
    const double part = model_.both_ways.value() / model_.usual_card.value();
    return fmt::format(", both_ways: {}", rate(part * card));
  }
  [[nodiscard]] BytesPerSecond fastest_card() const {
    return *std::ranges::max_element(model_.cards);
  }
  [[nodiscard]] bool grouped() const { return model_.fabric.groups.size() > 1; }
  [[nodiscard]] bool all_alike() const {
    return std::ranges::all_of(model_.cards,
                               [&](BytesPerSecond card) { return alike(card, model_.usual_card); });
  }

  void add_caches() {
    if (!model_.caches.empty()) line("        caches:");
    for (const CachedRate& cached : model_.caches) {
      line("          - {{touched: {}, bandwidth: {}{}{}}}", size(cached.touched),
           rate(cached.bandwidth), if_known(", reduce_rate: ", cached.reduce_rate),
           if_known(", lent_rate: ", cached.lent_rate));
    }
  }

  void add_node_types() {
    std::vector<int> kinds = model_.processes;
    std::ranges::sort(kinds);
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    line("node_types:");
    for (const int processes : kinds) {
      line("  host-of-{}:", processes);
      line("    sockets:");
      line("      - processes: {}", processes);
      line("        process_link: core");
      if (model_.memory > BytesPerSecond{0}) line("        memory: {}", rate(model_.memory));
      add_caches();
      if (model_.network) {
        line("        root_complexes: [{{devices: [{{kind: nic, link: slot}}]}}]");
      }
    }
    line("nodes:");
    for (std::size_t node = 0; node < model_.processes.size();) {
      std::size_t next = node;
      while (next < model_.processes.size() && model_.processes[next] == model_.processes[node]) {
        ++next;
      }
      line("  - {{type: host-of-{}, count: {}}}", model_.processes[node], next - node);
      node = next;
    }
  }

  void add_fabric() {
    if (!grouped() && all_alike()) {
      line("fabric: {{kind: switch, link: card}}");
      return;
    }
    line("fabric:");
    line("  kind: explicit");
    std::string switches = grouped() ? "" : "switch0";
    std::string cables;
    for (std::size_t group = 0; group < model_.fabric.groups.size(); ++group) {
      const std::string leaf = grouped() ? fmt::format("leaf{}", group) : "switch0";
      if (grouped()) {
        switches += leaf + ", ";
        cables += fmt::format("    - {{from: {}, to: spine, link: uplink{}}}\n", leaf, group);
      }
      for (const int node : model_.fabric.groups[group].nodes) {
        const bool usual = alike(model_.cards[static_cast<std::size_t>(node)], model_.usual_card);
        cables += fmt::format("    - {{from: node{}.nic0, to: {}, link: {}}}\n", node, leaf,
                              usual ? "card" : fmt::format("card-of-node{}", node));
      }
    }
    line("  switches: [{}{}]", switches, grouped() ? "spine" : "");
    line("  cables:");
    out_ += cables;
  }

  const MachineModel& model_;
  const MeasuredAt& at_;
  std::string out_;
};

/// Which of the two kinds of message a profile's single values come from.
const PairFit& leading(const MachineModel& model) {
  return model.network ? *model.network : *model.node;
}

void add_valued(std::string& out, std::string_view indent, std::string_view key,
                const std::string& value, const std::string& from) {
  out += fmt::format("{}{}: {{value: {}, source: {}}}\n", indent, key, value, from);
}

}  // namespace

std::string cluster_yaml(const MachineModel& model, const MeasuredAt& at) {
  return ClusterText{model, at}.text();
}

std::string transport_yaml(const MachineModel& model, const MeasuredAt& at) {
  const PairFit& fit = leading(model);
  std::string out = fmt::format("# {}\nname: {}\nsource: {}\n", measured(at),
                                quoted(model.hosts.front() + ", calibrated"), quoted(measured(at)));
  out += "host_copies: 1\n";
  add_valued(out, "", "message_overhead", time(fit.cost.overhead), source(at, fit));
  if (model.node && model.network) {
    out += "overheads:\n";
    add_valued(out, "  ", "host_memory", time(model.node->cost.overhead), source(at, *model.node));
    add_valued(out, "  ", "network", time(model.network->cost.overhead),
               source(at, *model.network));
  }
  if (fit.cost.eager_limit) {
    add_valued(out, "", "eager_limit", size(*fit.cost.eager_limit),
               quoted("the largest size measured without the handshake; the next has it"));
    add_valued(out, "", "rendezvous_handshake", time(fit.cost.handshake), source(at, fit));
  }
  add_valued(out, "", "reduce_rate", rate(model.reduce_rate), quoted(measured(at)));
  out += fmt::format("fused_reduction: {}\n", model.fused);
  return out;
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
