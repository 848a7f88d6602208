#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/calibrate/calibration.hpp"
#include "app/calibrate/fabric_groups.hpp"
#include "app/calibrate/pair_fit.hpp"
#include "topology/cluster/cache.hpp"

namespace ringcast {

/// The parameters of a cluster file and a transport file, from measurements of a machine's ranks.
struct MachineModel {
  std::vector<std::string> hosts;
  std::vector<int> processes;  // of each node
  /// Between two ranks of a node; absent if no node has two.
  std::optional<PairFit> node;
  /// Memory bandwidth of a node, while all ranks copy; zero: it does not limit them.
  BytesPerSecond memory{0};
  /// Copy rates per rank, while all ranks copy, by working set; empty if caches have no effect.
  std::vector<CachedRate> caches;
  /// Between ranks of two nodes; absent for one node.
  std::optional<PairFit> network;
  std::vector<BytesPerSecond> nics;  // the NIC of each node; empty for one node
  BytesPerSecond usual_nic{0};       // their median without outliers
  BytesPerSecond both_ways{0};       // of a network cable; zero: twice its bandwidth
  FabricGroups fabric;
  BytesPerSecond reduce_rate{0};
  bool fused = false;
  /// Comments for the files: slow nodes, samples that do not fit.
  std::vector<std::string> remarks;

  /// Whether predictions can rely on the files.
  [[nodiscard]] bool is_close() const {
    return (!node || node->is_close()) && (!network || network->is_close());
  }
};

/// Fits the model to the samples. Throws ScenarioError for a calibration of one rank, or one that
/// lacks samples.
[[nodiscard]] MachineModel machine_model(const Calibration& calibration);

}  // namespace ringcast
