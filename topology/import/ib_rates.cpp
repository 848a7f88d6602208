#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "topology/cluster/index.hpp"
#include "topology/import/ib_network.hpp"

namespace ringcast {
namespace {

using Cables = std::vector<const IbNetwork::Cable*>;

/// `gpu-c mlx5_3`, or the id of a switch.
std::string end_name(const IbNetwork::Node& end) {
  if (end.is_switch) return end.id;
  const auto [host, device] = host_and_device(end);
  return port_name(host, device);
}

void add_remarks(const IbNetwork& network, const std::map<std::string, Cables>& by_rate,
                 std::vector<std::string>& remarks) {
  constexpr std::size_t most_of = 4;
  std::size_t count = 0;
  for (const auto& [rate, cables] : by_rate)
    count += cables.size();
  const auto size = [](const auto& entry) { return entry.second.size(); };
  const auto usual = std::ranges::max_element(by_rate, {}, size);
  if (count == 0 || most_of * (count - size(*usual)) >= count) return;
  for (const auto& [rate, cables] : by_rate) {
    if (rate == usual->first) continue;
    const auto name = [&](int node) { return end_name(network.nodes[detail::index(node)]); };
    remarks.push_back(
        fmt::format("cables with {} where {} others have {}: {}, the first is {} - {}",
                    rate.empty() ? "no rate" : rate, size(*usual), usual->first, cables.size(),
                    name(cables.front()->a), name(cables.front()->b)));
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
  add_remarks(network, of_hosts, remarks);
  add_remarks(network, between_switches, remarks);
  return remarks;
}

}  // namespace ringcast
