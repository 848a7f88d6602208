#pragma once

#include <optional>
#include <vector>

#include "app/config/scenario/scenario.hpp"
#include "app/config/yaml/input_node.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {

/// ClusterSpec::job_gpus of a scenario's `job` or the options that replace its keys: of each of
/// `nodes`, in their order, the GPUs that `gpus` numbers within the node. Both are lists of numbers
/// and ranges such as `4-7`, nodes also by their hosts as Slurm lists them, `gpu[01-08,12]`; a list
/// that is absent means all. Empty: the job has all GPUs of the cluster, in order.
[[nodiscard]] std::vector<int> read_job_gpus(const std::optional<InputNode>& job,
                                             const ScenarioOverrides& overrides,
                                             const ClusterSpec& cluster);

}  // namespace ringcast
