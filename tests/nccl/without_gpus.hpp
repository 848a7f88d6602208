#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ringcast {

/// What NCCL is told of this rank's node.
struct NodeOfNccl {
  std::vector<std::string> gpus;  // their PCI addresses
  int capability = 90;            // 90: SM 9.0
  std::size_t own = 0;            // this rank's GPU
};
extern NodeOfNccl node;

/// NCCL's ncclTopoGetAlgoTime(): of a collective, algorithm and protocol by its own numbers, in us.
using AlgorithmTime = int(void* comm, int collective, int algorithm, int protocol,
                          std::size_t bytes, int operations, float* time);

/// Replaces, in this process, the functions of CUDA, NVML and NCCL that need a GPU or a peer, at
/// the addresses in the symbol table of the library that has this function. The others run as they
/// are. Null: the library has no such table.
[[nodiscard]] AlgorithmTime* remove_gpus(void* of_library);

}  // namespace ringcast
