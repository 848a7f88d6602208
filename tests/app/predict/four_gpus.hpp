#pragma once

#include <string>

namespace ringcast {

/// The cluster of a published set: GPUs on cables of 10 GB/s and 1 us, two of which a hop crosses.
inline const std::string four_gpus = R"(cluster:
  name: four GPUs
  links: {pcie: {bandwidth: 10 GB/s, latency: 1 us, source: test}}
  node_types:
    box:
      sockets:
        - root_complexes:
            - devices:
                - {kind: gpu, count: 4, link: pcie}
  nodes: [{type: box}]
)";

}  // namespace ringcast
