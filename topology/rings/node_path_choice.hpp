#pragma once

#include <vector>

#include "topology/rings/aligned_paths.hpp"
#include "topology/rings/ring_load.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast::detail {

/// The ranks of a node, and of the nodes before and after it on the rings.
struct Place {
  const std::vector<Rank>& ranks;
  const std::vector<Rank>& previous;
  const std::vector<Rank>& next;
  bool backwards = false;     // the node reverses its paths
  bool nodes_differ = false;  // nodes of the job have different shapes
};

/// The paths of rings through a node, in the number with the highest bandwidth. `nics`: the
/// NICs of the node, or the number of rings that may share them. `packed`: all of
/// Walecki's paths, without comparing them with others. `loads` must be without load, and are again
/// afterwards.
[[nodiscard]] std::vector<NodePath> choose_node_paths(const TransferPaths& paths, Place place,
                                                      std::size_t nics, bool packed,
                                                      LinkLoads& loads);

}  // namespace ringcast::detail
