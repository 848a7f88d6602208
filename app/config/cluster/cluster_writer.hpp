#pragma once

#include <string>

#include "app/config/yaml/yaml_writer.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {

/// Writes a cluster file that read_cluster reads back as `spec`, which must be one that
/// build_cluster accepts. Link classes stay names, named cables become entries of `links`, all
/// others are written where they are used. A job's choice, `first_gpus`, is not written.
[[nodiscard]] std::string to_yaml(const ClusterSpec& spec, const YamlRemarks& remarks = {});
/// The same as a map, a part of a larger file.
[[nodiscard]] InputValue yaml_map(const ClusterSpec& spec);

}  // namespace ringcast
