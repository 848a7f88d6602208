#pragma once

#include <span>
#include <string>
#include <vector>

#include "topology/import/host_hardware.hpp"
#include "topology/import/ib_network.hpp"

namespace ringcast::detail {

/// A cabled port of a host of a network.
struct Adapter {
  std::string device;  // "mlx5_0"; empty: unknown
  const IbNetwork::Cable* cable;
  bool at_a;  // its end of the cable
  [[nodiscard]] int node() const { return at_a ? cable->a : cable->b; }
  [[nodiscard]] int peer() const { return at_a ? cable->b : cable->a; }
};
/// The cabled ports of one card.
using Card = std::vector<const Adapter*>;

/// A card for each adapter, with all its cabled ports.
[[nodiscard]] std::vector<Card> all_cards(std::span<const Adapter> adapters);

/// Finds the cards of a described node among the ports of a network's hosts.
class NodeCards {
 public:
  /// `node` and `network` must outlive this.
  NodeCards(const HostHardware& node, const IbNetwork& network);

  [[nodiscard]] const HostHardware& node() const { return *node_; }
  [[nodiscard]] const std::vector<const HardwareDevice*>& cards() const { return cards_; }

  /// True if these are the ports of the described node itself: they have the GUIDs of all its
  /// cards. Then the places of those ports serve for other hosts with as many ports.
  bool learn_guids(std::span<const Adapter> adapters);

  /// The ports of each card, in the order of the node's tree: by the names of devices, else as the
  /// GUIDs of the described node lay, else by order; empty if a card is missing.
  [[nodiscard]] std::vector<Card> among(std::span<const Adapter> adapters) const;

 private:
  const HostHardware* node_;
  const IbNetwork* network_;
  std::vector<const HardwareDevice*> cards_;
  std::vector<std::vector<std::size_t>> by_guid_;  // the ports of each card on the described node
  std::size_t ports_of_node_ = 0;
};

}  // namespace ringcast::detail
