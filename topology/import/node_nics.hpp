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
/// The cabled ports of one NIC.
using Nic = std::vector<const HostPort*>;

/// A NIC for each adapter, with all its cabled ports.
[[nodiscard]] std::vector<Nic> all_nics(std::span<const HostPort> adapters);

/// The ports of a host that belong to none of these NICs: `n1 mlx5_1`.
[[nodiscard]] std::vector<std::string> ports_without_nic(const std::string& host,
                                                         std::span<const HostPort> adapters,
                                                         std::span<const Nic> nics);

/// The NICs of a host with several ports, by the first of these: `n1 mlx5_0`.
[[nodiscard]] std::vector<std::string> nics_with_ports(const std::string& host,
                                                       std::span<const Nic> nics);

/// A host of such NICs, with a GPU on the same PCIe switch beside each, by links of this rate.
[[nodiscard]] HostHardware host_with_nics(std::span<const Nic> nics, BytesPerSecond pcie,
                                          const std::string& tool);

/// Finds the NICs of a described node among the ports of a host in a network.
class NodeNics {
 public:
  /// `node` and `network` must outlive this.
  NodeNics(const HostHardware& node, const IbNetwork& network);

  [[nodiscard]] const HostHardware& node() const { return *node_; }
  [[nodiscard]] const std::vector<const HardwareDevice*>& nics() const { return nics_; }

  /// Returns whether these are the ports of the described node itself, with the GUIDs of all its
  /// NICs. If so, among() uses their order for other hosts with as many ports.
  bool learn_guids(std::span<const HostPort> adapters);

  /// The ports of each NIC, in the order of the node's tree: by device names, otherwise in the
  /// order found by learn_guids(), otherwise in the order of ports. A NIC without a port has none
  /// in the list; the list is empty if that is so for half of the NICs or more.
  [[nodiscard]] std::vector<Nic> among(std::span<const HostPort> adapters) const;
  /// The number of NICs without ports and ports without NICs in among(); the largest number if that
  /// is empty.
  [[nodiscard]] std::size_t unmatched(std::span<const HostPort> adapters) const;

 private:
  const HostHardware* node_;
  const IbNetwork* network_;
  std::vector<const HardwareDevice*> nics_;
  std::vector<std::vector<std::size_t>> by_guid_;  // the ports of each NIC on the described node
  std::size_t ports_of_node_ = 0;
};

/// The NICs of a host, by their names in its description, that have no port: `n1 mlx5_1`.
[[nodiscard]] std::vector<std::string> nics_without_port(const std::string& host,
                                                         const NodeNics& described,
                                                         std::span<const Nic> nics);

}  // namespace ringcast::detail
