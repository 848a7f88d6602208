#pragma once

#include <span>
#include <string>
#include <vector>

#include "topology/import/device_relation.hpp"

namespace ringcast::detail {

/// The matrix of `nvidia-smi topo -m` with what is written beside and below it.
struct TopoMatrix {
  struct Device {
    std::string label;  // GPU0, NIC0, mlx5_0
    bool is_gpu = false;
    std::string name;      // of a NIC by the legend, or its label
    std::string affinity;  // of a GPU: its NUMA node, else its CPUs; may be empty
  };
  std::vector<Device> devices;  // in the order of the columns
  std::vector<std::vector<DeviceRelation>> relations;
  std::vector<std::string> remarks;  // repairs and omissions, one line each

  [[nodiscard]] const DeviceRelation& between(std::size_t a, std::size_t b) const {
    return relations[a][b];
  }
};

/// Reads the matrix from lines without escape sequences. Accepts text before and after it, tabs or
/// blanks, rows that a terminal wrapped, and missing rows where the columns tell the same. Throws
/// ScenarioError "NAME:LINE: PROBLEM (expected ...)".
[[nodiscard]] TopoMatrix read_topo_matrix(const std::string& name,
                                          std::span<const std::string> lines);

}  // namespace ringcast::detail
