#pragma once

#include <array>
#include <vector>

#include "engine/numbers/element.hpp"
#include "engine/schedule/ring_order.hpp"
#include "engine/schedule/ring_schedule.hpp"
#include "sim/model/message_cost.hpp"
#include "sim/model/sim_report.hpp"

namespace ringcast {

/// The time of a ring all-reduce without contention, by a recurrence over the steps: about a
/// nanosecond per message, exact also if chunks differ. ChannelRecurrence is faster for equal
/// chunks and handles several channels.
///
/// Let P[p] be the time at which the rank at position p posts its transfers of a step, and E[p] the
/// end of the message that it then sends to p + 1. The message is alone on its links. A rank waits
/// for its receive, reduces, waits for its send, and posts the next transfers:
///   E[p]  = max(P[p], P[p+1]) + delay + bytes / rate
///   P'[p] = max(E[p-1] + reduction, E[p])
/// A message never waits for the one before it on its stream (MessageCost::begin): that one ended
/// before P[p], and the delay includes the overhead. The recurrence is linear in max-plus algebra
/// (Baccelli, Cohen, Olsder and Quadrat 1992, "Synchronization and Linearity"). Delays are
/// MessageCost's, lengths and arrivals RingSchedule's.
class RingRecurrence {
 public:
  /// A ring of one channel in whole chunks, of at least one element each; `paths` and `order` must
  /// outlive this.
  RingRecurrence(const TransferPaths& paths, const RingOrder& order, Reduction reduction,
                 std::uint64_t elements);
  /// Whether no link is on the routes of two hops, and ranks spend time on messages and reductions
  /// only.
  [[nodiscard]] bool is_exact() const { return exact_; }
  /// From the first post to the last rank's end.
  [[nodiscard]] Seconds time() const;
  [[nodiscard]] std::vector<PairTraffic> traffic() const;

 private:
  struct Hop {
    MessageCost cost;
    BytesPerSecond rate;
  };
  /// The costs of the message of each position: with the longer chunk, and with the shorter one.
  struct StepCosts {
    std::array<std::vector<double>, 2> transfer;   // seconds from the later post to the end
    std::array<std::vector<double>, 2> reduction;  // seconds of the receiver after the end
  };
  void add_hop(Rank from, std::vector<bool>& crossed);
  [[nodiscard]] StepCosts costs_of(Arrival arrival) const;
  struct HopCost {
    Seconds transfer;
    Seconds after;  // the transfer, until the chunk is combined
  };
  [[nodiscard]] HopCost hop_cost(int position, Bytes length, Arrival arrival) const;
  /// Calls run(begin, end, kind) for the positions that send chunks of one kind, if position 0
  /// sends chunk `first`.
  template <typename Run>
  void for_each_run(int first, const Run& run) const;
  [[nodiscard]] int positions() const { return order_->size(); }

  const TransferPaths* paths_;
  const RingOrder* order_;
  Reduction reduction_;
  std::uint64_t elements_;
  int longer_;  // the number of longer chunks, which come first
  std::array<Bytes, 2> lengths_;
  std::vector<Hop> hops_;  // by position
  bool exact_ = true;
};

}  // namespace ringcast
