#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast {

/// Makes cables of a cluster slower, or removes them, by the text of `--degrade`:
/// `node4.nic0=3GB/s,leaf0 - spine1=missing`.
///
/// - A cable is named as in `ringcast show` and the tables, `a - b` or `a -> b` (both directions
///   change). The name of a device means its only cable, that of a NIC its only one to the network.
///   Several changes of the same name apply to different parallel cables.
/// - `missing` or `0` removes the cable; a rate must be below its bandwidth.
/// - A cable of a node without ranks of the largest job stays: no route uses it. Cables of the
///   network may disconnect such nodes. `jobs`: the numbers of ranks; empty: all ranks.
///
/// Returns a text for each change, `node4.nic0 - switch0: 3 GB/s instead of 25 GB/s`, or `one of 2
/// cables leaf0 - spine0: missing`. Throws ScenarioError, with the nearest name, for names that do
/// not exist.
std::vector<std::string> degrade(Cluster& cluster, std::string_view text,
                                 std::span<const int> jobs = {});

/// The names of a cable's two ends, given `a - b` or `a -> b`; none for other names.
[[nodiscard]] std::optional<std::pair<std::string_view, std::string_view>> cable_ends(
    std::string_view name);

/// Throws ScenarioError, which names the option, if missing cables disconnect ranks of the jobs.
[[nodiscard]] Topology degraded_topology(Cluster cluster);

}  // namespace ringcast
