#pragma once

#include <span>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// A stream of one ring of nodes, and its rate while all streams of the ring ran.
struct NodeStream {
  int from = 0;
  int to = 0;
  BytesPerSecond rate;
};
using NodeRing = std::vector<NodeStream>;

/// Nodes that share an uplink to all others, such as those of a leaf switch.
struct NodeGroup {
  std::vector<int> nodes;  // ascending
  BytesPerSecond uplink;   // bandwidth per direction
};

struct FabricGroups {
  /// A single group of all nodes: no ring saturated a shared link.
  std::vector<NodeGroup> groups;
  /// The fraction of the streams whose rates groups and uplinks explain within a tenth.
  double explained = 1;
};

/// The rate of both directions of the median NIC together, relative to one direction alone. From
/// rings, where a rank sends to one rank and receives from another: between two ranks, MPI may
/// serialize large messages in opposite directions. Of each NIC, the ring with the highest rate is
/// used.
[[nodiscard]] double both_ways_part(const std::vector<BytesPerSecond>& nics,
                                    std::span<const NodeRing> rings);

/// Infers shared uplinks from rings in many orders. `nics`: the bandwidth of each node's NIC
/// alone. A stream that is slower than both its NICs crossed a saturated uplink, so its nodes are
/// in different groups. Nodes between which most streams were not slowed are merged into one group,
/// those with the clearest evidence first.
[[nodiscard]] FabricGroups find_groups(const std::vector<BytesPerSecond>& nics,
                                       std::span<const NodeRing> rings);

}  // namespace ringcast
