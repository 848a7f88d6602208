#include <algorithm>
#include <map>

#include <fmt/ranges.h>

#include "topology/cluster/index.hpp"
#include "topology/import/ib_network.hpp"

namespace ringcast {
namespace {

using Cables = std::vector<const IbNetwork::Cable*>;

/// `gpu-c mlx5_3 port 1`, or `S-01 (leaf one) port 3` of a switch.
std::string end_name(const IbNetwork::Node& end, int port) {
  std::string name = end.id;
  if (!end.is_switch) {
    const auto [host, device] = host_and_device(end);
    name = port_name(host, device);
  } else if (!end.description.empty()) {
    name += fmt::format(" ({})", end.description);
  }
  return port == 0 ? name : fmt::format("{} port {}", name, port);
}

/// Both ends, a host's first.
std::string cable_name(const IbNetwork& network, const IbNetwork::Cable& cable) {
  const IbNetwork::Node& a = network.nodes[detail::index(cable.a)];
  const IbNetwork::Node& b = network.nodes[detail::index(cable.b)];
  const std::string first = end_name(a, cable.port_a);
  const std::string second = end_name(b, cable.port_b);
  return a.is_switch && !b.is_switch ? fmt::format("{} - {}", second, first)
                                     : fmt::format("{} - {}", first, second);
}

/// The first few cables.
std::string listed_cables(const IbNetwork& network, const Cables& cables) {
  constexpr std::size_t most = 8;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most, cables.size()); ++i)
    names.push_back(cable_name(network, *cables[i]));
  const std::string text = fmt::format("{}", fmt::join(names, ", "));
  return cables.size() > most ? fmt::format("{} and {} more", text, cables.size() - most) : text;
}

void add_remarks(const IbNetwork& network, std::string_view kind,
                 const std::map<std::string, Cables>& by_rate, std::vector<std::string>& remarks) {
  if (by_rate.size() < 2) return;
  const auto size = [](const auto& entry) { return entry.second.size(); };
  const auto text = [](const std::string& rate) { return rate.empty() ? "no rate" : rate; };
  std::size_t count = 0;
  for (const auto& entry : by_rate)
    count += size(entry);
  const auto usual = std::ranges::max_element(by_rate, {}, size);
  const bool is_tie = std::ranges::count(by_rate, size(*usual), size) > 1;
  for (const auto& [rate, cables] : by_rate) {
    if (rate == usual->first && !is_tie) continue;
    const std::string others =
        is_tie ? "" : fmt::format(" ({} have {})", size(*usual), text(usual->first));
    remarks.push_back(fmt::format("cables {} with {}, {} of {}{}: {}", kind, text(rate),
                                  cables.size(), count, others, listed_cables(network, cables)));
  }
}

}  // namespace

std::vector<std::string> remarks_on_rates(const IbNetwork& network) {
  std::map<std::string, Cables> of_hosts;
  std::map<std::string, Cables> between_switches;
  for (const IbNetwork::Cable& cable : network.cables) {
    const bool is_between = network.nodes[detail::index(cable.a)].is_switch &&
                            network.nodes[detail::index(cable.b)].is_switch;
    (is_between ? between_switches : of_hosts)[cable.rate].push_back(&cable);
  }
  std::vector<std::string> remarks;
  add_remarks(network, "of hosts", of_hosts, remarks);
  add_remarks(network, "between switches", between_switches, remarks);
  return remarks;
}

}  // namespace ringcast
