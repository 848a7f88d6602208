#pragma once

#include <span>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// A stream of one ring of nodes, and what it reached while all others of the ring ran.
struct NodeStream {
  int from = 0;
  int to = 0;
  BytesPerSecond rate;
};
using NodeRing = std::vector<NodeStream>;

/// Nodes that reach each other undisturbed, and share the way to the others.
struct NodeGroup {
  std::vector<int> nodes;  // ascending
  /// The uplink's bandwidth: the most that the group's streams to others reach together; the
  /// same inwards.
  BytesPerSecond uplink;
};

struct FabricGroups {
  /// One group of all nodes: none shares anything that the rings could fill.
  std::vector<NodeGroup> groups;
  /// Streams that groups and uplinks explain within a tenth, as a part of all.
  double explained = 1;
};

/// Both directions of the usual NIC together, relative to one direction alone: in rings,
/// where a rank sends to one and receives from another. MPI may let two ranks that cross large
/// messages take turns, where the cable would not. A NIC shows it in the ring that slows it least.
[[nodiscard]] double both_ways_part(const std::vector<BytesPerSecond>& cards,
                                    std::span<const NodeRing> rings);

/// Infers shared uplinks from rings in many orders. `cards`: the bandwidth of each node alone.
/// A stream that is slower than both its NICs crossed a saturated uplink: its nodes are
/// in two groups. Nodes seldom seen so are in one, the surest first.
[[nodiscard]] FabricGroups find_groups(const std::vector<BytesPerSecond>& cards,
                                       std::span<const NodeRing> rings);

}  // namespace ringcast
