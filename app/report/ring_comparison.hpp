#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/report/result.hpp"
#include "topology/rings/ring_bounds.hpp"
#include "topology/rings/ring_search.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// Rings of one name, and their prediction.
struct ComparedRings {
  std::string name;  // `by-rank`, `nccl`, `searched`, `searched again`
  FoundRings found;  // also for rings that no search found
  LinkId bottleneck{};
  std::optional<Row> row = {};  // absent: not predicted, or failed
};

/// One state of a machine, and the rings compared on it: by-rank first, the best last.
struct ComparedMachine {
  std::shared_ptr<const Topology> topology;
  std::shared_ptr<const TransferPaths> paths;  // of the job's ranks, on that topology
  std::vector<std::string> changes;            // empty: the machine of the cluster file
  std::vector<ComparedRings> orders;
  BandwidthBound ring_bound;
  BandwidthBound algorithm_bound;
};

/// Ring orders compared on one machine, or before and after its degradation.
struct RingComparison {
  Provenance provenance;
  Cell cell;  // of the first order
  RingSearch search;
  std::vector<ComparedMachine> machines;
  std::vector<FailedCell> failures;
  std::size_t left_out = 0;  // the number of orders with too many messages to simulate
};

/// The predicted bus bandwidth; without a prediction, that of the links alone.
[[nodiscard]] BytesPerSecond busbw_of(const ComparedRings& order, const Cell& cell);

/// The names of the bottleneck links: those of the highest utilisation in the prediction; without a
/// prediction, that of the rings; none if no link limits them.
[[nodiscard]] std::vector<std::string> bottlenecks_of(const ComparedMachine& machine,
                                                      const ComparedRings& order);

/// A table of the orders, then the bounds.
[[nodiscard]] std::string to_table(const RingComparison& comparison);
/// The whole comparison, with the rings and the machine; quantities in bytes and seconds.
[[nodiscard]] std::string to_json(const RingComparison& comparison);
/// A line for each order.
[[nodiscard]] std::string to_csv(const RingComparison& comparison);

}  // namespace ringcast
