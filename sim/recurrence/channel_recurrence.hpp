#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/numbers/element.hpp"
#include "engine/schedule/ring_order.hpp"
#include "engine/schedule/ring_schedule.hpp"
#include "sim/model/message_cost.hpp"
#include "sim/model/sim_report.hpp"

namespace ringcast {

/// Bounds of the time of an all-reduce by concurrent rings of whole chunks, by a recurrence over
/// the steps: a few nanoseconds per message. The bounds are equal if chunks are equal and no link
/// carries two streams.
///
/// Let A[r,c] be the time at which rank r posts its transfers of a step on channel c, and E[r,c]
/// the end of the message that it then sends to its next neighbour n(r,c). A rank serves its
/// channels in turn: it waits for the receive of one, reduces, waits for the send, and posts the
/// next transfers:
///   E[r,c]  = max(A[r,c], A[n(r,c),c]) + delay + bytes / rate
///   A'[r,c] = max(A'[r,c-1], E[p(r,c),c] + reduction, E[r,c])     A'[r,-1] = A[r,C-1], p: previous
/// These dependences hold whatever the rates are, and no time decreases if a message takes longer.
/// So the rate of a flow that is alone on its links gives a lower bound. The rate of a flow that
/// shares its links max-min fairly is at least its own limit or, on its bottleneck, bandwidth /
/// (crossings of all streams), because no flow there is faster. The least of these over its links
/// gives an upper bound.
///
/// If chunks differ, by one element, the lower bound takes the shorter for all, the upper bound the
/// longer.
///
/// The map F from A to A' commutes with a shift of all times and does not increase differences of
/// states (max-plus algebra: Baccelli, Cohen, Olsder and Quadrat 1992, "Synchronization and
/// Linearity", 4.3). So once A equals A of q steps ago plus a constant, to an error e, it does so
/// in all later steps of the same costs. Skipping m such periods adds an error of at most m e.
class ChannelRecurrence {
 public:
  /// `elements`: of all channels. `period`, a divisor of the ranks, divides period(). `paths` and
  /// `channels` must outlive this.
  ChannelRecurrence(const TransferPaths& paths, std::span<const RingOrder> channels,
                    Reduction reduction, std::uint64_t elements, int period = 1);
  /// Whether ranks spend time on messages and reductions only, and no chunk is empty.
  [[nodiscard]] bool is_applicable() const { return applicable_; }
  /// The least number of positions of the first channel, a divisor of all, after which the costs
  /// and neighbours of the ranks repeat. If these also begin at equal times, their times repeat,
  /// too, so only those of one period are computed.
  [[nodiscard]] int period() const { return period_; }
  [[nodiscard]] bool has_equal_chunks() const { return shortest_ == longest_; }
  /// Whether chunks are equal and no link carries two streams: the bounds are equal.
  [[nodiscard]] bool is_exact() const;
  /// Estimates the most messages that time() computes.
  [[nodiscard]] double most_messages() const;
  struct Bounds {
    Seconds least;
    Seconds most;
  };
  /// From the first post to the last rank's end.
  [[nodiscard]] Bounds time() const;
  enum class Bound { least, most };
  /// Advances the clock of each rank at the first period() positions of the first channel, in
  /// seconds, from its begin of these phases to its end. Neither bound decreases if a rank begins
  /// later, so the bounds of one call may be the begin of the next.
  void advance(Bound bound, RingPhases phases, std::vector<double>& clocks) const;
  [[nodiscard]] std::vector<PairTraffic> traffic() const;

 private:
  /// The seconds of a hop from the later post to the end: for a chunk that is combined, and for one
  /// that replaces.
  struct HopCosts {
    std::array<double, 2> least;  // alone on its links
    std::array<double, 2> most;   // with all streams of its links
    friend auto operator<=>(const HopCosts&, const HopCosts&) = default;
  };
  [[nodiscard]] HopCosts costs_of(const TransferPath& path, std::span<const int> crossings) const;
  void find_period(std::span<const HopCosts> costs, int multiple_of);
  void keep_period(std::span<const HopCosts> costs);
  [[nodiscard]] Seconds reduction_after(Arrival arrival, Bytes chunk) const;
  struct State {
    std::vector<double> post;  // seconds, without those of skipped steps
    std::vector<double> end;
    double skipped;
  };
  [[nodiscard]] Seconds run(Bound bound) const;
  void run_alike(State& state, std::span<const double> cost, Seconds reduction,
                 std::int64_t steps) const;
  void step(State& state, std::span<const double> cost, Seconds reduction) const;
  [[nodiscard]] int ranks() const { return channels_.front().size(); }
  /// The rank at a position of the first channel.
  [[nodiscard]] Rank rank_at(int position) const { return channels_.front().rank_at(position); }
  /// From a position of the first channel to that of the rank's neighbour on a channel.
  [[nodiscard]] int steps_to(Rank neighbour, int position) const {
    return (channels_.front().position_of(neighbour) - position + ranks()) % ranks();
  }

  const TransferPaths* paths_;
  std::span<const RingOrder> channels_;
  Reduction reduction_;
  std::uint64_t elements_;
  Bytes shortest_;  // chunk
  Bytes longest_;
  bool applicable_;
  int period_ = 0;
  std::vector<const TransferPath*> hops_;  // by position and channel
  // By position of the period and channel:
  std::vector<HopCosts> costs_;
  std::vector<std::size_t> next_;
  std::vector<std::size_t> previous_;
};

}  // namespace ringcast
