#pragma once

#include <span>
#include <string>

#include "topology/routes/topology.hpp"

namespace ringcast {

/// A time that no algorithm can beat, and the reason.
struct LowerBound {
  Seconds time{0};
  std::string reason;  // e.g. "the NICs of 5 nodes (5 x 6 GB/s)"
};

/// The bandwidth lower bound of an all-reduce of `size` over ranks at the vertices `places`;
/// several may share one. Latency is left out, so the bound holds for any algorithm and any number
/// of steps.
/// - Cut: each side of a cut needs the other's data, so S bytes cross it each way, in a time of at
///   least S / (bandwidth of the cut). Cuts are the cables whose removal disconnects ranks; cables
///   between the same two vertices count as one.
/// - Ports: every element needs N - 1 transfers to be combined and N - 1 to be spread between N
///   parties, so N parties with outgoing bandwidths b_i need 2(N-1) S / sum b_i (Patarasuk and Yuan
///   2009). Parties are the ranks, the nodes where there are several, and the groups of nodes that
///   switches of the fabric connect, each with these switches (the nodes of a leaf, of a pod): what
///   one party sends to another crosses its uplinks. A party's ports are a cut as well: S / b_i.
/// Helpers at vertices of their own combine data but contribute none (parameter servers, switches
/// that sum). With them the sum over ports does not hold. Helpers in the nodes of ranks belong to
/// these, and change nothing between nodes. A cable whose directions share a limit counts with half
/// of it, since the bytes above cross it both ways. Zero for one rank.
[[nodiscard]] LowerBound allreduce_lower_bound(const Topology& topology,
                                               std::span<const int> places, Bytes size,
                                               std::span<const int> helpers = {});

}  // namespace ringcast
