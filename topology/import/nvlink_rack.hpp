#pragma once

#include <span>
#include <vector>

#include "topology/import/host_hardware.hpp"

namespace ringcast {

/// Hosts of NVIDIA's GB200 and GB300 NVL72, whose GPUs one set of NVSwitches joins (MNNVL).
constexpr int trays_of_a_rack = 18;

/// The hosts of each domain where `hosts` are divided evenly: as many as possible, `domain` at
/// most.
[[nodiscard]] int hosts_per_domain(int hosts, int domain);

/// Whether NVSwitches can join the GPUs of the host with those of other hosts: all GPUs are on
/// NVSwitches and on NVLink-C2C, as on all such machines so far (GH200, GB200, GB300).
[[nodiscard]] bool is_tray(const HostHardware& host);

/// One node of trays, which are a node for NCCL: it finds all their GPUs over NVLink.
[[nodiscard]] HostHardware rack_of(std::span<const HostHardware> trays);

/// As many hosts like `host`, named after it; trays with NVLink of the fifth generation as racks.
[[nodiscard]] std::vector<HostHardware> equal_hosts(HostHardware host, int count);

}  // namespace ringcast
