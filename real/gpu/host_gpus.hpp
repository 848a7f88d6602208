#pragma once

#include <string>
#include <vector>

namespace ringcast {

/// The GPUs that the ranks of one host use.
struct HostGpus {
  std::string host;
  std::string model;  // of the first GPU; empty if there is none
  int ranks = 0;
  int gpus = 0;  // fewer than `ranks` if ranks share them
};

/// What a rank knows of its own GPU. It may see no other, so that numbers of GPUs say nothing.
struct RankGpu {
  std::string host;
  int node = 0;
  std::string model;
  std::string id;  // cuda_device_id(); empty: none
};
/// The GPUs of all hosts, by node, of which the first has rank 0 and each new one is the next.
[[nodiscard]] std::vector<HostGpus> gpus_of_hosts(const std::vector<RankGpu>& ranks);

}  // namespace ringcast
