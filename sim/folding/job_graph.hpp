#pragma once

#include <span>
#include <vector>

#include "sim/fluid/contended_links.hpp"
#include "sim/folding/dry_run.hpp"
#include "sim/folding/equitable_partition.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// What the ranks and streams of a class have in common.
enum class Symmetry {
  none,         // each rank is a class of its own
  exact,        // all costs
  but_latency,  // all costs but the latencies of streams
};

/// A rank's local copy.
struct RankCopy {
  int rank;
  CopyDirection direction;
  Leg leg;
};

/// A job of ranks, the first of them GPUs; its streams with their paths, and its copies.
struct JobParts {
  const TransferPaths& paths;
  int gpus;
  const DryRun& run;
  std::span<const TransferPath* const> path_of;  // by stream
  std::span<const RankCopy> copies;
};

/// The graph of a job. Its vertices are, in this order: the ranks; the flows, which are streams and
/// then copies; the contended links. Other links affect no rate (over_contended_links).
class JobGraph {
 public:
  /// What `job` refers to must outlive this.
  JobGraph(const JobParts& job, Symmetry symmetry);

  [[nodiscard]] const ColouredGraph& graph() const { return graph_; }
  [[nodiscard]] int first_flow() const { return static_cast<int>(job_.run.ranks.size()); }
  [[nodiscard]] int first_link() const { return first_flow() + static_cast<int>(limits_.size()); }
  [[nodiscard]] LinkId link_of(int vertex) const {
    return links_[static_cast<std::size_t>(vertex - first_link())];
  }
  /// The rate limit of a flow, which includes those of its uncontended links.
  [[nodiscard]] BytesPerSecond limit_of(int vertex) const {
    return limits_[static_cast<std::size_t>(vertex - first_flow())];
  }

 private:
  void add_ranks(Symmetry symmetry);
  [[nodiscard]] FlowRoutes find_routes() const;
  [[nodiscard]] ColouredGraph::Colour colour_of_flow(std::size_t flow, Symmetry symmetry) const;
  std::vector<int> add_links(const FlowRoutes& routes);
  template <typename Visit>
  void visit_uses(const Visit& visit) const;

  JobParts job_;
  ColouredGraph graph_;
  std::vector<BytesPerSecond> limits_;  // of the flows
  std::vector<LinkId> links_;           // by vertex
};

}  // namespace ringcast
