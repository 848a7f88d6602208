#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/calibrate/calibration.hpp"
#include "app/calibrate/fabric_groups.hpp"
#include "app/calibrate/pair_fit.hpp"
#include "topology/cluster/cache.hpp"

namespace ringcast {

/// A machine as its ranks measured it: the numbers of a cluster file and a transport file.
struct MachineModel {
  std::vector<std::string> hosts;
  std::vector<int> processes;  // of each node
  /// Two ranks of a node; absent where no node has two.
  std::optional<PairFit> node;
  /// Copying all at once; zero: the cores copy as fast as one alone.
  BytesPerSecond memory{0};
  /// The copy rate of each where caches help, all at once; empty where they make no difference.
  std::vector<CachedRate> caches;
  /// Two ranks of two nodes; absent for one node.
  std::optional<PairFit> network;
  std::vector<BytesPerSecond> cards;  // of each node, for several
  BytesPerSecond usual_card{0};       // the rate of most of them
  BytesPerSecond both_ways{0};        // of a network cable; zero: twice its bandwidth
  FabricGroups fabric;
  BytesPerSecond reduce_rate{0};
  bool fused = false;
  /// Remarks for a reader of the files: slow nodes, samples that do not fit.
  std::vector<std::string> remarks;

  /// Whether predictions can rely on the files.
  [[nodiscard]] bool is_close() const {
    return (!node || node->is_close()) && (!network || network->is_close());
  }
};

/// The model that explains the samples. Throws ScenarioError for a calibration of one rank, or one
/// that lacks samples.
[[nodiscard]] MachineModel machine_model(const Calibration& calibration);

}  // namespace ringcast
