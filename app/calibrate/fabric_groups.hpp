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
  /// What the group's streams to others reach together, at most; as much comes in.
  BytesPerSecond uplink;
};

struct FabricGroups {
  /// One group of all nodes: none shares anything that the rings could fill.
  std::vector<NodeGroup> groups;
  /// Streams that groups and uplinks explain within a tenth, as a part of all.
  double explained = 1;
};

/// What goes in and out of the usual card at once, as a part of what goes one way alone: in rings,
/// where a rank sends to one and receives from another. MPI may let two ranks that cross large
/// messages take turns, where the cable would not. A card shows it in the ring that slows it least.
[[nodiscard]] double both_ways_part(const std::vector<BytesPerSecond>& cards,
                                    std::span<const NodeRing> rings);

/// Finds out from rings in many orders who shares a way. `cards`: what each node reaches alone.
/// Streams of a ring that are slower than both their cards crossed something full: their nodes are
/// in two groups. Nodes seldom seen so are in one, the surest first.
[[nodiscard]] FabricGroups find_groups(const std::vector<BytesPerSecond>& cards,
                                       std::span<const NodeRing> rings);

}  // namespace ringcast
