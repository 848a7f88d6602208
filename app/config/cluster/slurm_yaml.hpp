#pragma once

#include <string>
#include <vector>

namespace ringcast {

struct SlurmYaml {
  std::vector<std::string> lines;  // of a topology.conf, each at its line in the YAML file
  std::string remark;              // which topology of several is taken; else empty
};

/// Slurm's topology.yaml (Slurm 25.05 and later: a list of topologies of kind tree, block or flat)
/// as the lines of a topology.conf that say the same. Takes the topology with
/// `cluster_default: true`, else the first. Throws ScenarioError as InputNode does,
/// and for a flat topology, which says nothing of the network.
[[nodiscard]] SlurmYaml read_slurm_yaml(const std::string& name, const std::string& text);

}  // namespace ringcast
