#pragma once

#include <string>

#include "app/config/yaml/yaml_writer.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {

/// Writes a cluster file that read_cluster() reads back as `spec`, which build_cluster() must
/// accept. Cables of a link class are written as its name, named cables as entries of `links`, all
/// others in place. `job_gpus` belongs to a job and is not written.
[[nodiscard]] std::string to_yaml(const ClusterSpec& spec, const YamlRemarks& remarks = {});
/// The same as a map, a part of a larger file.
[[nodiscard]] InputValue yaml_map(const ClusterSpec& spec);

}  // namespace ringcast
