#pragma once

#include <string>

#include "app/config/cluster/cluster_reader.hpp"
#include "app/config/yaml/yaml_reader.hpp"

namespace ringcast {

/// The cluster of a file `cluster.yaml` with this text.
[[nodiscard]] inline ClusterSpec cluster_in(const std::string& text) {
  return read_cluster(yaml_of("cluster.yaml", text));
}

// Right as it stands; each case makes one slip in it.
inline const std::string right_cluster = R"(name: two nodes
links:
  ib: {class: infiniband-fdr-4x, bandwidth: 6 GB/s}
  own: {bandwidth: 10 GB/s, latency: 1 us, source: measured}
node_types:
  box:
    socket_link: qpi-9.6
    sockets:
      - count: 2
        root_complexes:
          - count: 1
            devices:
              - {kind: pcie-switch, link: own, devices: [{kind: gpu, count: 2, link: pcie-3.0-x16}]}
    nics:
      - {at: root0, link: own}
    nvlinks: [{between: [0, 1], links: 2, link: nvlink-2.0}]
nodes:
  - {type: box, count: 2}
fabric:
  kind: switch
  link: ib
)";

}  // namespace ringcast
