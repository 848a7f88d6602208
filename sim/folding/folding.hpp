#pragma once

#include <vector>

#include "sim/fluid/fluid_job.hpp"
#include "sim/fluid/round_skipper.hpp"
#include "sim/folding/dry_run.hpp"
#include "sim/folding/job_graph.hpp"
#include "sim/folding/rate_bounds.hpp"
#include "sim/model/sim_report.hpp"

namespace ringcast {

/// A job and its symmetry. Ranks, streams and links are divided into classes such that
///   (a) the ranks of a class run programs of one shape (DryRun) at the same costs, and the streams
///       that they use, in the sequence in which they come, are of the same classes;
///   (b) the streams of a class begin and end at ranks of one class each, have the same costs, and
///       cross each class of links equally often;
///   (c) the links of a class have one bandwidth, and are crossed equally often by each class of
///       streams.
/// This is an equitable partition of the graph of ranks, streams and links; the coarsest is found.
///
/// One rank of each class then simulates them all. Claim: at any time all ranks of a class are at
/// the same point of their programs, and all streams of a class have the same messages in the same
/// state. It holds at the start. Let it hold until some time; then
///   - the rates of the flows of a class are equal. Fill progressively: as long as the rates of all
///     flows of a class are equal, by (c) the links of a class are equally full; so they are full
///     at the same time, and by (b) the flows of a class stop growing together.
///   - so the flows of a class, which have as many bytes left, end together, and by (a) and (b) the
///     ranks at their ends go on together.
/// The flow that stands for its class F loads a link that stands for its class L as often as all
/// flows of F load each link of L: that is its number of crossings.
class Folding {
 public:
  /// `paths` must outlive this. `gpus`: of the ranks, which come first.
  Folding(const TransferPaths& paths, int gpus, DryRun run, Symmetry symmetry);
  // Its job refers to it.
  Folding(const Folding&) = delete;
  Folding& operator=(const Folding&) = delete;
  ~Folding() = default;

  [[nodiscard]] int ranks() const { return static_cast<int>(run_.ranks.size()); }
  [[nodiscard]] int classes() const { return static_cast<int>(job_.ranks.size()); }
  /// The rank that stands for another's class.
  [[nodiscard]] Rank representative(Rank rank) const {
    const auto own = static_cast<std::size_t>(index_of(rank));
    return job_.ranks[static_cast<std::size_t>(rank_class_[own])];
  }
  [[nodiscard]] const FluidJob& job() const { return job_; }
  /// Whether streams of a class may differ in latency; in job() all have the longest.
  [[nodiscard]] bool has_longest_latencies() const { return !slowest_.empty(); }
  /// The path of a stream of job(), with the shortest latencies of its class.
  [[nodiscard]] const TransferPath& quickest_path(std::size_t stream) const {
    return quickest_.empty() ? *job_.streams[stream].path : quickest_[stream];
  }
  /// The job with these paths.
  [[nodiscard]] FluidJob quickest_job() const;
  /// Rates of the job's routes.
  [[nodiscard]] RateBounds rate_bounds() const;
  /// The traffic of all ranks, by that of the job's streams.
  [[nodiscard]] std::vector<PairTraffic> traffic(const std::vector<StreamTraffic>& of_job) const;

 private:
  void find_copies();
  void make_job(const JobGraph& graph, const Partition& partition);
  template <typename NumberOf>
  void add_flows(const JobGraph& graph, const std::vector<int>& flow_reps,
                 const NumberOf& number_of);
  template <typename NumberOf>
  void add_crossings(const JobGraph& graph, const std::vector<int>& link_reps,
                     const NumberOf& number_of);
  void find_latencies();

  const TransferPaths* paths_;
  int gpus_;
  DryRun run_;
  std::vector<const TransferPath*> path_of_;  // of each stream
  std::vector<RankCopy> copies_;
  std::vector<int> rank_class_;
  std::vector<int> stream_class_;
  // By stream of the job, where latencies differ:
  std::vector<TransferPath> quickest_;
  std::vector<TransferPath> slowest_;
  FluidJob job_;
};

}  // namespace ringcast
