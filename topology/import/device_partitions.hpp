#pragma once

#include <string>
#include <vector>

#include "topology/import/topo_matrix.hpp"

namespace ringcast::detail {

/// Devices, as columns of the matrix.
using Group = std::vector<std::size_t>;

/// Parts of a PCIe tree: switches, trees of switches, root complexes, sockets.
enum class Level { pix, pxb, phb, node };

/// The partitions of a matrix's devices, one per level; each level merges parts of the level below.
class DevicePartitions {
 public:
  explicit DevicePartitions(const TopoMatrix& matrix);

  /// The parts of `devices` on a level, in the order of their first devices.
  [[nodiscard]] std::vector<Group> parts(Level level, const Group& devices) const;
  /// Contradictions between relations and how they were resolved, one line each.
  [[nodiscard]] std::vector<std::string> doubts(const TopoMatrix& matrix) const;

 private:
  void join(Level level, std::size_t a, std::size_t b);
  [[nodiscard]] bool together(Level level, std::size_t a, std::size_t b) const;

  std::vector<std::vector<std::size_t>> part_of_;  // by level and device
};

}  // namespace ringcast::detail
