#include "topology/import/node_cards.hpp"

#include <algorithm>

#include "topology/cluster/index.hpp"

namespace ringcast::detail {
namespace {

/// The ports with the card's name.
Card ports_by_name(const HardwareDevice& card, std::span<const HostPort> adapters) {
  Card ports;
  // NCCL's files name the ports of one card "mlx5_0, mlx5_1", or "mlx5_0+mlx5_1" where it merged
  // them.
  std::string names = "," + card.name + ",";
  std::erase(names, ' ');
  std::ranges::replace(names, '+', ',');
  for (const HostPort& adapter : adapters) {
    if (!adapter.device.empty() && names.find("," + adapter.device + ",") != std::string::npos) {
      ports.push_back(&adapter);
    }
  }
  return ports;
}

}  // namespace

std::vector<Card> all_cards(std::span<const HostPort> adapters) {
  std::vector<Card> cards;
  for (const HostPort& adapter : adapters) {
    const auto known = std::ranges::find_if(
        cards, [&](const Card& card) { return card.front()->node() == adapter.node(); });
    (known == cards.end() ? cards.emplace_back() : *known).push_back(&adapter);
  }
  return cards;
}

NodeCards::NodeCards(const HostHardware& node, const IbNetwork& network)
    : node_{&node}, network_{&network} {
  for_each_device_of(node, [this](const HardwareDevice& device) {
    if (device.kind == VertexKind::nic) cards_.push_back(&device);
  });
}

bool NodeCards::learn_guids(std::span<const HostPort> adapters) {
  std::vector<std::vector<std::size_t>> found;
  for (const HardwareDevice* card : cards_) {
    std::vector<std::size_t> ports;
    for (std::size_t i = 0; i < adapters.size(); ++i) {
      const std::string& guid = network_->nodes[index(adapters[i].node())].adapter;
      if (!guid.empty() && guid == card->guid) {
        ports.push_back(i);
      }
    }
    if (ports.empty()) {
      return false;
    }
    found.push_back(std::move(ports));
  }
  ports_of_node_ = adapters.size();
  by_guid_ = std::move(found);
  return !by_guid_.empty();
}

std::vector<Card> NodeCards::among(std::span<const HostPort> adapters) const {
  std::vector<Card> found;
  for (const HardwareDevice* card : cards_) {
    const Card ports = ports_by_name(*card, adapters);
    found.insert(found.end(), ports.empty() ? 0 : 1, ports);
  }
  if (found.size() == cards_.size()) {
    return found;
  }
  if (network_->cards_unknown) {
    return std::vector<Card>(cards_.size(), Card{&adapters.front()});
  }
  if (!by_guid_.empty() && adapters.size() == ports_of_node_) {
    found.clear();
    for (const std::vector<std::size_t>& ports : by_guid_) {
      found.emplace_back();
      for (const std::size_t port : ports) {
        found.back().push_back(&adapters[port]);
      }
    }
    return found;
  }
  std::vector<Card> all = all_cards(adapters);
  return all.size() == cards_.size() ? all : std::vector<Card>{};
}

}  // namespace ringcast::detail
