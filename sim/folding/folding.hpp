#pragma once

#include <algorithm>
#include <vector>

#include "sim/fluid/fluid_job.hpp"
#include "sim/fluid/round_skipper.hpp"
#include "sim/folding/dry_run.hpp"
#include "sim/folding/job_graph.hpp"
#include "sim/folding/rate_bounds.hpp"
#include "sim/model/sim_report.hpp"

namespace ringcast {

/// A job and its symmetry. Ranks, streams and links are divided into classes such that
///   (a) the ranks of a class run programs of one shape (DryRun) at the same costs, and their k-th
///       streams, in order of first use, are of the same class;
///   (b) the streams of a class begin and end at ranks of one class each, have the same costs, and
///       cross each class of links equally often;
///   (c) the links of a class have one bandwidth, and are crossed equally often by each class of
///       streams.
/// This is an equitable partition of the graph of ranks, streams and links; the coarsest is found.
///
/// It then suffices to simulate one rank, stream and link of each class. Claim: at any time all
/// ranks of a class are at the same point of their programs, and all streams of a class have the
/// same messages in the same state. It holds at the start. If it holds until some time, then
///   - the rates of the flows of a class are equal. Consider progressive filling: as long as the
///     rates of all flows of each class are equal, by (c) the links of a class are equally loaded.
///     So they are full at the same level, and by (b) the flows of a class stop growing together.
///   - so the flows of a class, which have equally many bytes left, end together, and the ranks at
///     their ends continue together, by (a) and (b).
/// The representative of a class F of flows crosses that of a class L of links as often as all
/// flows of F together cross each link of L (Crossing::times).
class Folding {
 public:
  /// `paths` must outlive this. `gpus`: the number of ranks with GPUs, which come first.
  Folding(const TransferPaths& paths, int gpus, DryRun run, Symmetry symmetry);
  // job_ points to slowest_.
  Folding(const Folding&) = delete;
  Folding& operator=(const Folding&) = delete;
  ~Folding() = default;

  [[nodiscard]] int ranks() const { return static_cast<int>(run_.ranks.size()); }
  [[nodiscard]] int classes() const { return static_cast<int>(job_.ranks.size()); }
  /// The rank that is simulated for the class of `rank`.
  [[nodiscard]] Rank representative(Rank rank) const {
    const auto own = static_cast<std::size_t>(index_of(rank));
    return job_.ranks[static_cast<std::size_t>(rank_class_[own])];
  }
  /// Whether parts of programs are outlined (pipelined trees).
  [[nodiscard]] bool is_outlined() const {
    return std::ranges::any_of(run_.ranks, &DryRun::OneRank::is_outlined);
  }
  [[nodiscard]] const FluidJob& job() const { return job_; }
  /// Whether streams of a class differ in latency; in job() all have the longest.
  [[nodiscard]] bool has_longest_latencies() const { return !slowest_.empty(); }
  /// The path of a stream of job(), with the shortest latencies of its class.
  [[nodiscard]] const TransferPath& quickest_path(std::size_t stream) const {
    return quickest_.empty() ? *job_.streams[stream].path : quickest_[stream];
  }
  /// The job with these paths.
  [[nodiscard]] FluidJob quickest_job() const;
  /// Rates of the job's routes.
  [[nodiscard]] RateBounds rate_bounds() const;
  /// The traffic of all ranks, given that of job()'s streams.
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
