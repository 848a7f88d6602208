#pragma once

#include <array>
#include <vector>

#include "engine/numbers/element.hpp"
#include "engine/schedule/ring_order.hpp"
#include "engine/schedule/ring_schedule.hpp"
#include "sim/model/message_cost.hpp"
#include "sim/model/sim_report.hpp"

namespace ringcast {

/// The time of a ring all-reduce in which no message waits for another's bandwidth: a recurrence
/// over the steps, about a nanosecond a message, exact also for chunks that differ.
/// ChannelRecurrence is quicker where they do not, and knows several channels.
///
/// Let P[p] be the time at which the rank at position p posts its transfer of a step, and E[p] the
/// end of the message that it sends to p + 1. The message begins when both sides have posted, and
/// is alone on its links. A rank then waits for what it receives, reduces it, waits for what it
/// sends, and posts the next:
///   E[p] = max(max(P[p], P[p+1]) + delay, E'[p] + overhead) + bytes / rate
///   P[p] = max(E[p-1] + reduction, E[p])        E': of the step before
/// (max, +)-linear, after Baccelli, Cohen, Olsder and Quadrat 1992, "Synchronization and
/// Linearity". The delays are MessageCost's, lengths and arrivals RingSchedule's.
class RingRecurrence {
 public:
  /// A ring of one channel in whole chunks, of at least one element each; `paths` and `order` must
  /// outlive this.
  RingRecurrence(const TransferPaths& paths, int gpus, const RingOrder& order, Reduction reduction,
                 std::uint64_t elements);
  /// Whether no two of the ring's messages can meet on a link, and a rank's time goes into nothing
  /// but messages and reductions. Proved on the routes.
  [[nodiscard]] bool is_exact() const { return exact_; }
  /// From the first post to the last rank's end.
  [[nodiscard]] Seconds time() const;
  [[nodiscard]] std::vector<PairTraffic> traffic() const;

 private:
  struct Hop {
    MessageCost cost;
    BytesPerSecond rate;
  };
  /// What the message of each position costs: the longer chunk, then the shorter one.
  struct StepCosts {
    std::array<std::vector<double>, 2> transfer;   // seconds from both posts to the end
    std::array<std::vector<double>, 2> reduction;  // seconds of the receiver after that
  };
  void add_hop(Rank from, std::vector<bool>& crossed);
  [[nodiscard]] StepCosts costs_of(Arrival arrival) const;
  struct HopCost {
    Seconds transfer;
    Seconds after;  // it, until the chunk is combined
  };
  [[nodiscard]] HopCost hop_cost(int position, Bytes length, Arrival arrival) const;
  /// Calls run(begin, end, kind) for the positions that send chunks of one kind, if position 0
  /// sends chunk `first`.
  template <typename Run>
  void for_each_run(int first, const Run& run) const;
  [[nodiscard]] int positions() const { return order_->size(); }

  const TransferPaths* paths_;
  int gpus_;
  const RingOrder* order_;
  Reduction reduction_;
  std::uint64_t elements_;
  int longer_;  // of the chunks, the first
  std::array<Bytes, 2> lengths_;
  std::vector<Hop> hops_;  // by position
  bool exact_ = true;
};

}  // namespace ringcast
