#pragma once

#include <map>
#include <vector>

#include "sim/recurrence/call_clocks.hpp"
#include "sim/recurrence/channel_recurrence.hpp"

namespace ringcast {

/// The collective calls of a job: all-reduces by concurrent rings of whole chunks, or the two
/// halves of each. There are no other messages.
struct RingCalls {
  std::span<const RingOrder> channels;
  Reduction reduction;
  std::vector<std::uint64_t> elements;  // of each call, in any order
  /// Whether all ranks take the same time between two calls.
  bool are_ranks_alike = true;
};

/// Runs rank programs that communicate in such calls only: ChannelRecurrence advances their clocks
/// (call_clocks.hpp).
///
/// A rank that begins a call later ends no call earlier, and the time between two calls is given.
/// So the bounds of each call's time give bounds of the time of the whole job. Successive calls use
/// the same streams, so no more streams share a link than in one call.
class RingClocks {
 public:
  using Bound = ChannelRecurrence::Bound;

  /// `paths` and the channels must outlive this.
  RingClocks(const TransferPaths& paths, const RingCalls& calls);

  /// Whether ChannelRecurrence is applicable to all calls, and reductions do not slow computations.
  [[nodiscard]] bool is_applicable() const { return applicable_; }
  /// Whether the bounds are equal.
  [[nodiscard]] bool is_exact() const;
  [[nodiscard]] bool has_equal_chunks() const;
  /// Estimates the most messages that a run computes.
  [[nodiscard]] double most_messages() const;
  /// The rank that runs in place of `rank`; its times are the same.
  [[nodiscard]] Rank representative(Rank rank) const;
  /// run_between_calls() on the representative ranks. The times that a program reads are bounds,
  /// too.
  CallTimes run(const ClockedProgram& program, bool in_halves, Bound bound);
  /// The largest relative error of the times of `most`: that of the last end, or of the time that a
  /// rank spends in its calls. A call's true begin and end lie between those of both runs.
  [[nodiscard]] static double error(const CallTimes& least, const CallTimes& most);
  /// The messages of all ranks in the last run.
  [[nodiscard]] std::vector<PairTraffic> traffic() const;

 private:
  /// The least time of half an all-reduce for each representative rank, in seconds: its message
  /// overheads (with_call_costs).
  [[nodiscard]] std::vector<double> overheads_of_half() const;

  const TransferPaths* paths_;
  std::span<const RingOrder> channels_;
  Reduction reduction_;
  std::vector<std::uint64_t> elements_;                     // of each call
  std::map<std::uint64_t, ChannelRecurrence> recurrences_;  // by elements
  bool applicable_;
  int period_ = 1;
  std::map<std::uint64_t, std::uint64_t> halves_;  // by elements: the number that were run
};

}  // namespace ringcast
