#pragma once

#include "topology/import/host_hardware.hpp"

struct hwloc_topology;  // NOLINT(readability-identifier-naming): hwloc's own name

namespace ringcast::detail {

/// Adds the NVLinks or xGMI links of hwloc's matrices to `host`, which was read from `topology`,
/// with remarks about those that are left out.
void add_links_between_gpus(hwloc_topology* topology, HostHardware& host);

}  // namespace ringcast::detail
