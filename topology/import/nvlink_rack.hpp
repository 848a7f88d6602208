#pragma once

#include <span>
#include <vector>

#include "topology/import/host_hardware.hpp"

namespace ringcast {

/// The hosts of a GB200, GB300 or Vera Rubin NVL72, whose GPUs are connected by one set of
/// NVSwitches (MNNVL).
constexpr int trays_of_a_rack = 18;

/// The number of hosts per domain if `hosts` are divided evenly: as many as possible, at most
/// `domain`.
[[nodiscard]] int hosts_per_domain(int hosts, int domain);

/// Whether NVSwitches can connect the GPUs of the host with those of other hosts: all GPUs have
/// links to NVSwitches and NVLink-C2C, as on all such machines so far (GH200, GB200, GB300).
[[nodiscard]] bool is_tray(const HostHardware& host);

/// Merges trays into one node. NCCL regards them as one node, since it reaches all their GPUs over
/// NVLink.
[[nodiscard]] HostHardware rack_of(std::span<const HostHardware> trays);

/// `count` copies of `host`, with numbered names; trays with NVLink 5.0 or later are merged into
/// racks.
[[nodiscard]] std::vector<HostHardware> equal_hosts(HostHardware host, int count);

}  // namespace ringcast
