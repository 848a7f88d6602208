#pragma once

#include <optional>
#include <span>
#include <vector>

#include "topology/import/host_hardware.hpp"

namespace ringcast {

/// The hosts of a GB200, GB300 or Vera Rubin NVL72, whose GPUs are connected by one set of
/// NVSwitches (MNNVL).
constexpr int trays_of_a_rack = 18;

/// Some NVLink domains of equal size.
struct NvlinkDomains {
  int hosts = 1;  // of each
  int count = 0;
};
/// Divides hosts into domains of at most `domain`. They are of equal size unless that takes half as
/// many again as are needed: 20 are two domains of 10, but 19 one of 10 and one of 9.
[[nodiscard]] std::vector<NvlinkDomains> nvlink_domains(int hosts, int domain);

/// Whether NVSwitches can connect the GPUs of the host with those of other hosts: all GPUs have
/// links to NVSwitches and NVLink-C2C, as on all such machines so far (GH200, GB200, GB300).
[[nodiscard]] bool is_tray(const HostHardware& host);

/// Merges trays into one node. NCCL regards them as one node, since it reaches all their GPUs over
/// NVLink.
[[nodiscard]] HostHardware rack_of(std::span<const HostHardware> trays);

/// A host, or the rack_of() several.
[[nodiscard]] HostHardware node_of(std::span<const HostHardware> hosts);

/// The hosts of each node, by index. One set of NVSwitches is taken to connect trays with
/// NVLink 5.0 or later that are alike and of one block, by nvlink_domains() in their order.
/// `blocks`: that of each host; hosts without one have equal values.
[[nodiscard]] std::vector<std::vector<std::size_t>> hosts_of_nodes(
    std::span<const HostHardware> hosts, std::span<const int> blocks);

/// One of the trays that rack_of() merged, if they are alike.
[[nodiscard]] std::optional<HostHardware> tray_of(const HostHardware& rack);

/// `count` copies of `host`, with numbered names; trays with NVLink 5.0 or later are merged into
/// racks.
[[nodiscard]] std::vector<HostHardware> equal_hosts(const HostHardware& host, int count);

}  // namespace ringcast
