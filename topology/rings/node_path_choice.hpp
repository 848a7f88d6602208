#pragma once

#include <vector>

#include "topology/rings/aligned_paths.hpp"
#include "topology/rings/ring_load.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast::detail {

/// The ranks of a node, and of those before and after it on the rings.
struct Place {
  const std::vector<Rank>& ranks;
  const std::vector<Rank>& previous;
  const std::vector<Rank>& next;
  bool backwards = false;     // takes its paths backwards
  bool nodes_differ = false;  // of the job
};

/// The paths of rings through a node, as many as are fastest. `cards`: the network cards of the
/// node, or the rings that may share them. `packed`: all of Walecki's paths, without comparing them
/// with others. `loads` have no ring before and after.
[[nodiscard]] std::vector<NodePath> choose_node_paths(const TransferPaths& paths, Place place,
                                                      std::size_t cards, bool packed,
                                                      LinkLoads& loads);

}  // namespace ringcast::detail
