#pragma once

#include <span>
#include <vector>

#include "sim/fluid/contended_links.hpp"
#include "sim/folding/dry_run.hpp"
#include "sim/folding/equitable_partition.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// What is alike in the ranks and streams of a class.
enum class Symmetry {
  none,         // each rank is a class of its own
  exact,        // all that takes time
  but_latency,  // streams of a class may differ in their latencies
};

/// A copy that a rank makes by itself.
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

/// The graph of a job: first its ranks, then its flows, which are streams and copies, and the links
/// for which they compete. No others have a share in any rate (over_contended_links).
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
  /// The limit of a flow, which is also that of the links on which it is alone.
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
