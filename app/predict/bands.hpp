#pragma once

#include "app/report/result.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast {

/// The band of a predicted all-reduce, without another simulation. The fraction of the time in
/// which the bottleneck is busy varies with the spread of its link class (LinkClass::spread), the
/// rest with that of latencies and overheads. A link without a class has the most common spread. A
/// row without links consists of overheads only.
[[nodiscard]] Band band_of(const Row& row, const Topology& topology);
void add_bands(Result& result, const Topology& topology);

}  // namespace ringcast
