#pragma once

#include <span>
#include <string>
#include <vector>

#include "topology/import/host_hardware.hpp"
#include "topology/import/ib_network.hpp"

namespace ringcast::detail {

/// A cabled port of a host in a network.
struct HostPort {
  std::string device;  // "mlx5_0"; empty: unknown
  const IbNetwork::Cable* cable;
  bool at_a;  // whether it is at end `a` of the cable
  [[nodiscard]] int node() const { return at_a ? cable->a : cable->b; }
  [[nodiscard]] int peer() const { return at_a ? cable->b : cable->a; }
};
/// The cabled ports of one card.
using Card = std::vector<const HostPort*>;

/// A card for each adapter, with all its cabled ports.
[[nodiscard]] std::vector<Card> all_cards(std::span<const HostPort> adapters);

/// Finds the cards of a described node among the ports of a host in a network.
class NodeCards {
 public:
  /// `node` and `network` must outlive this.
  NodeCards(const HostHardware& node, const IbNetwork& network);

  [[nodiscard]] const HostHardware& node() const { return *node_; }
  [[nodiscard]] const std::vector<const HardwareDevice*>& cards() const { return cards_; }

  /// Returns whether these are the ports of the described node itself, with the GUIDs of all its
  /// cards. If so, among() uses their order for other hosts with as many ports.
  bool learn_guids(std::span<const HostPort> adapters);

  /// The ports of each card, in the order of the node's tree: by device names, otherwise in the
  /// order found by learn_guids(), otherwise in the order of ports; empty if a card is missing.
  [[nodiscard]] std::vector<Card> among(std::span<const HostPort> adapters) const;

 private:
  const HostHardware* node_;
  const IbNetwork* network_;
  std::vector<const HardwareDevice*> cards_;
  std::vector<std::vector<std::size_t>> by_guid_;  // the ports of each card on the described node
  std::size_t ports_of_node_ = 0;
};

}  // namespace ringcast::detail
