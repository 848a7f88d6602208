#include "sim/recurrence/ring_clocks.hpp"

#include <algorithm>
#include <numeric>

#include "engine/numbers/error.hpp"

namespace ringcast {
RingClocks::RingClocks(const TransferPaths& paths, const RingCalls& calls)
    : paths_{&paths},
      channels_{calls.channels},
      reduction_{calls.reduction},
      elements_{calls.elements},
      applicable_{!elements_.empty() && paths.profile().compute_competition == 0} {
  if (!calls.are_ranks_alike) period_ = channels_.front().size();
  const auto add = [&](std::uint64_t elements) {
    recurrences_.insert_or_assign(
        elements, ChannelRecurrence{paths, channels_, reduction_, elements, period_});
  };
  for (const std::uint64_t elements : elements_) {
    if (!applicable_ || recurrences_.contains(elements)) continue;
    add(elements);
    applicable_ = recurrences_.at(elements).is_applicable();
    if (applicable_) period_ = recurrences_.at(elements).period();
  }
  // Each period divides the periods found later, so the last is the period of all.
  for (const auto& [elements, recurrence] : recurrences_) {
    if (applicable_ && recurrence.period() != period_) add(elements);
  }
}

bool RingClocks::is_exact() const {
  return std::ranges::all_of(recurrences_,
                             [](const auto& entry) { return entry.second.is_exact(); });
}

bool RingClocks::has_equal_chunks() const {
  return std::ranges::all_of(recurrences_,
                             [](const auto& entry) { return entry.second.has_equal_chunks(); });
}

double RingClocks::most_messages() const {
  return std::accumulate(elements_.begin(), elements_.end(), 0.0,
                         [&](double sum, std::uint64_t elements) {
                           return sum + recurrences_.at(elements).most_messages();
                         });
}

Rank RingClocks::representative(Rank rank) const {
  const RingOrder& order = channels_.front();
  return order.rank_at(order.position_of(rank) % period_);
}

std::vector<double> RingClocks::overheads_of_half() const {
  std::vector<double> overheads(static_cast<std::size_t>(period_));
  if (paths_->profile().tuner != Tuner::none) return overheads;
  for (int place = 0; place < period_; ++place) {
    const Rank rank = channels_.front().rank_at(place);
    for (const RingOrder& ring : channels_) {
      overheads[static_cast<std::size_t>(place)] +=
          phase_steps(ring.size()) * paths_->between(rank, ring.next(rank)).overhead.count();
    }
  }
  return overheads;
}

CallTimes RingClocks::run(const ClockedProgram& program, bool in_halves, Bound bound) {
  expect(applicable_, "a job that is no recurrence");
  halves_.clear();
  const RingOrder& order = channels_.front();
  const std::vector<double> overheads = overheads_of_half();
  const auto advance = [&](const CollectiveCall& call, std::vector<double>& clocks) {
    const auto recurrence = recurrences_.find(call.elements);
    expect(recurrence != recurrences_.end(), "a call of {} elements", call.elements);
    const unsigned halves = call.phases == RingPhases::both ? 2 : 1;
    std::vector<double> least = clocks;
    for (std::size_t i = 0; i < clocks.size(); ++i) {
      least[i] += halves * overheads[i];
      clocks[i] += paths_->profile().call_overhead.count();
    }
    recurrence->second.advance(bound, call.phases, clocks);
    std::ranges::transform(clocks, least, clocks.begin(), std::ranges::max);
    halves_[call.elements] += halves;
  };
  const auto representatives = order.ranks().first(static_cast<std::size_t>(period_));
  return run_between_calls({{representatives.begin(), representatives.end()},
                            order.size(),
                            reduction_,
                            paths_->profile(),
                            advance},
                           program, in_halves);
}

double RingClocks::error(const CallTimes& least, const CallTimes& most) {
  double largest = (most.last_end - least.last_end) / most.last_end;
  for (std::size_t i = 0; i < most.calls.size(); ++i) {
    const Interval& calls = most.calls[i];
    const Seconds earlier = calls.begin - least.calls[i].begin + calls.end - least.calls[i].end;
    largest = std::max(largest, earlier / calls.length());
  }
  return largest;
}

std::vector<PairTraffic> RingClocks::traffic() const {
  std::vector<PairTraffic> all;
  for (const auto& [elements, halves] : halves_) {
    // Both halves have equally many messages.
    std::vector<PairTraffic> of_both = recurrences_.at(elements).traffic();
    all.resize(of_both.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const PairTraffic& both = of_both[i];
      all[i] = {both.from,
                both.to,
                all[i].messages + halves * both.messages / 2,
                all[i].bytes + Bytes{halves * both.bytes.count() / 2},
                all[i].on_cables + Bytes{halves * both.on_cables.count() / 2},
                both.streams};
    }
  }
  return all;
}

}  // namespace ringcast
