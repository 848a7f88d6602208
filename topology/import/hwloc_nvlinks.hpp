#pragma once

#include <string>

#include "topology/import/host_hardware.hpp"

struct hwloc_topology;  // NOLINT(readability-identifier-naming): hwloc's own name

namespace ringcast::detail {

/// Adds the NVLinks or xGMI links of hwloc's matrices to `host`, which was read from `topology`,
/// with remarks about those that are left out. `gpu`: the model of the GPUs; empty: as hwloc says.
void add_links_between_gpus(hwloc_topology* topology, const std::string& gpu, HostHardware& host);

}  // namespace ringcast::detail
