#include "sim/recurrence/ring_recurrence.hpp"

#include <algorithm>
#include <map>

#include "sim/recurrence/ring_traffic.hpp"

namespace ringcast {

RingRecurrence::RingRecurrence(const TransferPaths& paths, const RingOrder& order,
                               Reduction reduction, std::uint64_t elements)
    : paths_{&paths},
      order_{&order},
      reduction_{reduction},
      elements_{elements},
      longer_{static_cast<int>(elements % static_cast<std::uint64_t>(order.size()))} {
  const std::uint64_t base = elements / static_cast<std::uint64_t>(positions());
  const Bytes width = size_of(reduction.type);
  lengths_ = {(base + 1) * width, base * width};
  // Buffer copies share links with messages.
  exact_ = base > 0 && positions() > 1 && paths.ranks() == positions() &&
           paths.profile().copies(CopyDirection::to_host) == 0;
  std::vector<bool> crossed(paths.topology().links().size());
  for (const Rank rank : order.ranks()) {
    add_hop(rank, crossed);
  }
}

void RingRecurrence::add_hop(Rank from, std::vector<bool>& crossed) {
  const TransferPath& path = paths_->between(from, order_->next(from));
  exact_ = exact_ && !path.copy_down && !path.copy_up;
  std::map<LinkId, int> times;
  for (const LinkId link : path.main.links) {
    ++times[link];
  }
  BytesPerSecond rate = narrower(path.main.limit, unlimited_rate);
  for (const auto& [link, count] : times) {
    exact_ = exact_ && !crossed[index_of(link)];
    crossed[index_of(link)] = true;
    rate = std::min(rate, 1.0 / count * paths_->topology().links()[index_of(link)].bandwidth);
  }
  hops_.push_back({MessageCost{*paths_, path}, rate});
}

RingRecurrence::StepCosts RingRecurrence::costs_of(Arrival arrival) const {
  StepCosts costs;
  for (std::size_t kind = 0; kind < lengths_.size(); ++kind) {
    for (int p = 0; p < positions(); ++p) {
      const auto [transfer, after] = hop_cost(p, lengths_[kind], arrival);
      costs.transfer[kind].push_back(transfer.count());
      costs.reduction[kind].push_back(after.count());
    }
  }
  return costs;
}

RingRecurrence::HopCost RingRecurrence::hop_cost(int position, Bytes length,
                                                 Arrival arrival) const {
  const bool reduces = arrival != Arrival::replaces;
  const bool fused = reduces && paths_->profile().fused_reduction;
  const bool finishes = arrival == Arrival::completes && reduction_.operation == Operation::avg;
  const auto& [cost, link_rate] = hops_[static_cast<std::size_t>(position)];
  const ReductionCost reduction{paths_->profile(), true};
  const BytesPerSecond limit =
      cost.limit(length, fused ? reduction.rate : BytesPerSecond{0}, false);
  Seconds after = reduces && !fused ? reduction.after_receive(length) : Seconds{0};
  after += finishes ? reduction.after_receive(length) : Seconds{0};
  return {cost.delay(length) + cost.on_wire(length, false) / narrower(limit, link_rate), after};
}

// Position p sends chunk (first + p) mod n. The longer chunks come first, so the positions split
// into runs: longer and shorter chunks up to the last chunk, then both again from chunk 0 on.
template <typename Run>
void RingRecurrence::for_each_run(int first, const Run& run) const {
  const int n = positions();
  const int wrap = n - first;
  const int in_front = std::clamp(longer_ - first, 0, wrap);
  const int behind = std::min(n, wrap + longer_);
  const std::array<int, 5> bounds{0, in_front, wrap, behind, n};
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    run(static_cast<std::size_t>(bounds[i]), static_cast<std::size_t>(bounds[i + 1]), i % 2);
  }
}

Seconds RingRecurrence::time() const {
  const RingSchedule schedule{RingPhases::both, 0, positions(), {0, elements_}, 0};
  const auto n = static_cast<std::size_t>(positions());
  std::vector<double> post(n + 1, 0.0);  // [n] is [0]
  std::vector<double> end(n + 1, 0.0);   // [p + 1]: of the message from p; [0] is [n]
  std::optional<Arrival> arrival;
  StepCosts costs;
  for (std::int64_t step = 0; step < schedule.count(); ++step) {
    if (const Arrival now = schedule[step].arrival; arrival != now) {
      arrival = now;
      costs = costs_of(now);
    }
    // Position 0 sends the chunk before the one of the last step, also from phase to phase.
    const int first = positions() - 1 - static_cast<int>(step % positions());
    post[n] = post[0];
    for_each_run(first, [&](std::size_t begin, std::size_t stop, std::size_t kind) {
      const double* const seconds = costs.transfer[kind].data();
      for (std::size_t p = begin; p < stop; ++p) {
        end[p + 1] = std::max(post[p], post[p + 1]) + seconds[p];
      }
    });
    end[0] = end[n];
    // Position p + 1 waits for the message from p and for its own message.
    for_each_run(first, [&](std::size_t begin, std::size_t stop, std::size_t kind) {
      const double* const seconds = costs.reduction[kind].data();
      for (std::size_t p = begin; p < std::min(stop, n - 1); ++p) {
        post[p + 1] = std::max(end[p + 1] + seconds[p], end[p + 2]);
      }
      if (begin < stop && stop == n) {
        post[0] = std::max(end[n] + seconds[n - 1], end[1]);
      }
    });
  }
  return Seconds{std::ranges::max(post)};
}

std::vector<PairTraffic> RingRecurrence::traffic() const {
  std::vector<PairTraffic> all;
  all.reserve(hops_.size());
  for (int p = 0; p < positions(); ++p) {
    all.push_back(ring_traffic(hops_[static_cast<std::size_t>(p)].cost, *order_, p, elements_,
                               size_of(reduction_.type)));
  }
  return all;
}

}  // namespace ringcast
