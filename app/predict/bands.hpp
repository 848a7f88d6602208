#pragma once

#include "app/report/result.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast {

/// The band of a predicted all-reduce, without another simulation. The bottleneck's utilisation is
/// the part of the time that the spread of its link class (LinkClass::spread) changes; the rest are
/// latencies and overheads. A link of no class has the spread of most. A row without links has only
/// overheads.
[[nodiscard]] Band band_of(const Row& row, const Topology& topology);
void add_bands(Result& result, const Topology& topology);

}  // namespace ringcast
