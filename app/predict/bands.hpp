#pragma once

#include "app/config/scenario/scenario.hpp"
#include "app/predict/predict.hpp"
#include "app/report/result.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast {

/// The band of a predicted all-reduce, without another simulation. The fraction of the time in
/// which the bottleneck is busy varies with the spread of its link class (LinkClass::spread), the
/// rest with that of latencies and overheads. A link without a class has the spread of
/// most networks or, within a node, of most links. A row without links consists of overheads only.
[[nodiscard]] Band band_of(const Row& row, const Topology& topology);
/// To all rows that take any time.
void add_bands(Result& result, const Topology& topology);

/// Adds the bands of a training's rows of two GPUs and more, by two more predictions: with the
/// links, latencies and overheads at either end of the same spreads, and the computation at those
/// of published trainings. If one of the two fails, no row gets a band, and the result a failure.
void add_training_bands(Result& result, const Scenario& scenario, const PredictOptions& options);

}  // namespace ringcast
