#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "topology/import/ib_network.hpp"

namespace ringcast {

/// One line of Slurm's topology.conf: its values by their keys in lower case.
struct SlurmEntry {
  std::size_t line = 0;  // from 0
  std::map<std::string, std::string> values;
};

/// The network of entries SwitchName=... with Nodes=, Switches= or both (topology/tree), or
/// BlockName=... with Nodes= (topology/block), where each block is a switch and one more connects
/// them. A cable to a node represents those of all its NICs, one between switches those of all NICs
/// below its second end; cables have no rates. Throws ScenarioError "NAME:LINE: PROBLEM (expected
/// ...)".
[[nodiscard]] IbNetwork slurm_network(const std::string& name, std::span<const SlurmEntry> entries);
/// The same for the lines of a topology.conf.
[[nodiscard]] IbNetwork read_slurm_topology(const std::string& name,
                                            std::span<const std::string> lines);

}  // namespace ringcast
