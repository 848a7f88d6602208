#pragma once

#include <map>
#include <vector>

#include "sim/recurrence/call_clocks.hpp"
#include "sim/recurrence/channel_recurrence.hpp"

namespace ringcast {

/// The only calls of a job's ranks: all-reduces by concurrent rings of whole chunks, or the two
/// halves of each.
struct RingCalls {
  std::span<const RingOrder> channels;
  Reduction reduction;
  std::vector<std::uint64_t> elements;  // of each call, in any order
  /// Whether all ranks take the same time between two calls.
  bool are_ranks_alike = true;
};

/// Runs rank programs that meet in such calls and nowhere else: ChannelRecurrence advances their
/// clocks (call_clocks.hpp).
///
/// A rank that begins a call later ends none earlier, and the time between two calls is given. So
/// the bounds of a message's time bound the time of the whole job. Calls that follow each other use
/// the same streams: no more of them share a link than in one call.
class RingClocks {
 public:
  using Bound = ChannelRecurrence::Bound;

  /// `paths` and the channels must outlive this.
  RingClocks(const TransferPaths& paths, const RingCalls& calls);

  /// Whether ChannelRecurrence is for all calls, and reductions do not slow computations.
  [[nodiscard]] bool is_applicable() const { return applicable_; }
  /// Whether both bounds are the time.
  [[nodiscard]] bool is_exact() const;
  /// If not, traffic() has the longer chunks for all.
  [[nodiscard]] bool has_equal_chunks() const;
  /// About how many messages a run computes at most.
  [[nodiscard]] double most_messages() const;
  /// The rank that runs for another, at the same times.
  [[nodiscard]] Rank representative(Rank rank) const;
  /// run_between_calls() on these ranks. What a rank's clock says meanwhile are bounds as well.
  MeetingTimes run(const MeetingProgram& program, bool in_halves, Bound bound);
  /// The largest part by which the times of `most` may differ from the true ones: that of the last
  /// end, or that of the time which a rank spends in its calls. A call's true begin and end lie
  /// between those of both runs.
  [[nodiscard]] static double error(const MeetingTimes& least, const MeetingTimes& most);
  /// What all ranks sent in the last run.
  [[nodiscard]] std::vector<PairTraffic> traffic() const;

 private:
  /// The least time in seconds that each rank that runs takes for half an all-reduce
  /// (with_call_costs).
  [[nodiscard]] std::vector<double> overheads_of_half() const;

  const TransferPaths* paths_;
  std::span<const RingOrder> channels_;
  Reduction reduction_;
  std::vector<std::uint64_t> elements_;                     // of each call
  std::map<std::uint64_t, ChannelRecurrence> recurrences_;  // by elements
  bool applicable_;
  int period_ = 1;
  std::map<std::uint64_t, std::uint64_t> halves_;  // how many of an all-reduce were run
};

}  // namespace ringcast
