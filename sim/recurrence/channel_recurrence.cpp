#include "sim/recurrence/channel_recurrence.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "engine/schedule/chunks.hpp"
#include "sim/recurrence/ring_traffic.hpp"

namespace ringcast {
namespace {

/// Detects that a sequence of states has become periodic except for a shift in time.
///
/// States are compared with a reference state that is at most 16 steps older. The reference is
/// renewed each time that the number of steps has grown by a quarter, so a period is found after at
/// most 1.25 times the steps of the transient, and 16 more.
class ShiftedPeriod {
 public:
  explicit ShiftedPeriod(const std::vector<double>& state) : past_{state} {}

  /// The state repeats after `steps` steps, later by `shift`.
  struct Found {
    std::int64_t steps;
    double shift;
  };
  /// `state`: that after `step` steps.
  [[nodiscard]] std::optional<Found> find(const std::vector<double>& state, std::int64_t step) {
    const std::int64_t steps = step - past_step_;
    if (steps <= longest && repeats(state)) return Found{steps, state.front() - past_.front()};
    if (steps > longest && 4 * step >= 5 * past_step_) {
      past_ = state;
      past_step_ = step;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::int64_t longest = 16;

  [[nodiscard]] bool repeats(const std::vector<double>& state) const {
    constexpr double relative = 1e-12;
    constexpr double rounding_of_time = 4e-16;
    const double shift = state.front() - past_.front();
    const double tolerance = relative * shift + rounding_of_time * state.front();
    return std::equal(state.begin(), state.end(), past_.begin(), [&](double now, double then) {
      return std::abs(now - then - shift) <= tolerance;
    });
  }

  std::vector<double> past_;
  std::int64_t past_step_ = 0;
};

/// The shortest period of a sequence of `size`, a divisor of it: the longest proper border leaves
/// it (Knuth, Morris and Pratt 1977).
template <typename IsLike>
std::size_t shortest_period(std::size_t size, const IsLike& is_like) {
  std::vector<std::size_t> border(size, 0);
  for (std::size_t i = 1; i < size; ++i) {
    std::size_t length = border[i - 1];
    while (length > 0 && !is_like(i, length)) {
      length = border[length - 1];
    }
    border[i] = is_like(i, length) ? length + 1 : 0;
  }
  const std::size_t shortest = size - border[size - 1];
  return size % shortest == 0 ? shortest : size;
}

}  // namespace

ChannelRecurrence::ChannelRecurrence(const TransferPaths& paths,
                                     std::span<const RingOrder> channels, Reduction reduction,
                                     std::uint64_t elements, int period)
    : paths_{&paths},
      channels_{channels},
      reduction_{reduction},
      elements_{elements},
      applicable_{ranks() > 1 && paths.ranks() == ranks()} {
  const auto chunks = static_cast<std::uint64_t>(ranks()) * channels.size();
  shortest_ = elements / chunks * size_of(reduction.type);
  longest_ = (elements + chunks - 1) / chunks * size_of(reduction.type);
  for (const CopyDirection direction :
       {CopyDirection::to_host, CopyDirection::on_host, CopyDirection::to_device}) {
    applicable_ = applicable_ && paths.profile().copies(direction) == 0;
  }
  applicable_ = applicable_ && shortest_ > Bytes{0};
  if (!applicable_) return;
  std::vector<int> crossings(paths.topology().links().size());
  for (int position = 0; position < ranks(); ++position) {
    for (const RingOrder& ring : channels_) {
      const TransferPath& path = paths.between(rank_at(position), ring.next(rank_at(position)));
      applicable_ = applicable_ && !path.copy_down && !path.copy_up;
      hops_.push_back(&path);
      for (const LinkId link : path.main.links) {
        ++crossings[index_of(link)];
      }
    }
  }
  if (!applicable_) return;
  std::vector<HopCosts> costs;
  costs.reserve(hops_.size());
  for (const TransferPath* const path : hops_) {
    costs.push_back(costs_of(*path, crossings));
  }
  find_period(costs, period);
  keep_period(costs);
}

ChannelRecurrence::HopCosts ChannelRecurrence::costs_of(const TransferPath& path,
                                                        std::span<const int> crossings) const {
  const MessageCost cost{*paths_, path};
  const ReductionCost reduction{paths_->profile(), true};
  const bool fused = paths_->profile().fused_reduction;
  BytesPerSecond alone = unlimited_rate;
  BytesPerSecond shared = unlimited_rate;
  for (const LinkId link : path.main.links) {
    const BytesPerSecond bandwidth = paths_->topology().links()[index_of(link)].bandwidth;
    const auto own = static_cast<double>(std::ranges::count(path.main.links, link));
    alone = std::min(alone, 1 / own * bandwidth);
    shared = std::min(shared, 1.0 / crossings[index_of(link)] * bandwidth);
  }
  const auto seconds = [&](Bytes chunk, BytesPerSecond on_links, bool combines) {
    const BytesPerSecond limit =
        cost.limit(chunk, combines && fused ? reduction.rate : BytesPerSecond{0}, false);
    const BytesPerSecond rate = narrower(narrower(limit, path.main.limit), on_links);
    return (cost.delay(chunk) + cost.on_wire(chunk, false) / rate).count();
  };
  // A longer chunk may take less time, under another protocol.
  const auto least = [&](bool combines) {
    return std::min(seconds(shortest_, alone, combines), seconds(longest_, alone, combines));
  };
  const auto most = [&](bool combines) {
    return std::max(seconds(shortest_, shared, combines), seconds(longest_, shared, combines));
  };
  return {{least(true), least(false)}, {most(true), most(false)}};
}

// A shift of all ranks by a period along the first channel is a symmetry of the job if it maps
// neighbours on the other channels to neighbours, and hops to hops of the same costs.
void ChannelRecurrence::find_period(std::span<const HopCosts> costs, int multiple_of) {
  const std::size_t width = channels_.size();
  std::map<std::tuple<HopCosts, int, int>, int> numbers;
  std::vector<int> kinds;
  kinds.reserve(costs.size());
  for (int position = 0; position < ranks(); ++position) {
    for (std::size_t c = 0; c < width; ++c) {
      const Rank rank = rank_at(position);
      const std::tuple kind{costs[kinds.size()], steps_to(channels_[c].next(rank), position),
                            steps_to(channels_[c].previous(rank), position)};
      kinds.push_back(numbers.emplace(kind, static_cast<int>(numbers.size())).first->second);
    }
  }
  const auto is_like = [&](std::size_t a, std::size_t b) {
    const auto at = [&](std::size_t i) {
      return kinds.begin() + static_cast<std::ptrdiff_t>(i * width);
    };
    return std::equal(at(a), at(a + 1), at(b));
  };
  // Both divide the number of ranks, and so does this.
  period_ = std::lcm(multiple_of,
                     static_cast<int>(shortest_period(static_cast<std::size_t>(ranks()), is_like)));
}

void ChannelRecurrence::keep_period(std::span<const HopCosts> costs) {
  const std::size_t width = channels_.size();
  const auto place = [&](Rank rank, std::size_t channel) {
    const int position = channels_.front().position_of(rank) % period_;
    return static_cast<std::size_t>(position) * width + channel;
  };
  const auto kept = static_cast<std::size_t>(period_) * width;
  costs_.assign(costs.begin(), costs.begin() + static_cast<std::ptrdiff_t>(kept));
  for (int position = 0; position < period_; ++position) {
    for (std::size_t c = 0; c < width; ++c) {
      next_.push_back(place(channels_[c].next(rank_at(position)), c));
      previous_.push_back(place(channels_[c].previous(rank_at(position)), c));
    }
  }
}

Seconds ChannelRecurrence::reduction_after(Arrival arrival, Bytes chunk) const {
  const ReductionCost cost{paths_->profile(), true};
  const bool separate = arrival != Arrival::replaces && !paths_->profile().fused_reduction;
  const bool finishes = arrival == Arrival::completes && reduction_.operation == Operation::avg;
  return ((separate ? 1.0 : 0.0) + (finishes ? 1.0 : 0.0)) * cost.after_receive(chunk);
}

bool ChannelRecurrence::is_exact() const {
  return shortest_ == longest_ &&
         std::ranges::all_of(costs_, [](const HopCosts& each) { return each.least == each.most; });
}

double ChannelRecurrence::most_messages() const {
  constexpr double transient = 5;  // in periods: delays travel once around, in both phases
  const double steps = std::min(2.0 * phase_steps(ranks()), transient * period_);
  return steps * static_cast<double>(costs_.size()) * (is_exact() ? 1 : 2);
}

ChannelRecurrence::Bounds ChannelRecurrence::time() const {
  const Seconds most = run(Bound::most);
  return {is_exact() ? most : run(Bound::least), most};
}

Seconds ChannelRecurrence::run(Bound bound) const {
  std::vector<double> clocks(static_cast<std::size_t>(period_), 0.0);
  advance(bound, RingPhases::both, clocks);
  return Seconds{std::ranges::max(clocks)};
}

void ChannelRecurrence::advance(Bound bound, RingPhases phases, std::vector<double>& clocks) const {
  const auto costs = bound == Bound::least ? &HopCosts::least : &HopCosts::most;
  const Bytes chunk = bound == Bound::least ? shortest_ : longest_;
  const auto elements = static_cast<std::uint64_t>(ranks());  // any number: arrivals are the same
  const RingSchedule schedule{phases, 0, ranks(), {0, elements}, 0};
  const double begin = std::ranges::min(clocks);
  State state{{}, std::vector<double>(costs_.size()), begin};
  for (const double clock : clocks) {
    state.post.insert(state.post.end(), channels_.size(), clock - begin);
  }
  std::vector<double> cost(costs_.size());
  for (std::int64_t step = 0; step < schedule.count();) {
    const Arrival arrival = schedule[step].arrival;
    const std::int64_t first = step;
    while (step < schedule.count() && schedule[step].arrival == arrival) {
      ++step;
    }
    std::ranges::transform(costs_, cost.begin(), [&](const HopCosts& each) {
      return (each.*costs)[arrival == Arrival::replaces ? 1 : 0];
    });
    run_alike(state, cost, reduction_after(arrival, chunk), step - first);
  }
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    clocks[i] = state.skipped + state.post[(i + 1) * channels_.size() - 1];
  }
}

/// Runs `steps` steps of the same costs.
void ChannelRecurrence::run_alike(State& state, std::span<const double> cost, Seconds reduction,
                                  std::int64_t steps) const {
  ShiftedPeriod period{state.post};
  std::optional<ShiftedPeriod::Found> found;
  for (std::int64_t step = 1; step <= steps; ++step) {
    this->step(state, cost, reduction);
    if (found) continue;  // the remainder of a period
    found = period.find(state.post, step);
    if (found) {
      const std::int64_t periods = (steps - step) / found->steps;
      state.skipped += static_cast<double>(periods) * found->shift;
      step += periods * found->steps;
    }
  }
}

void ChannelRecurrence::step(State& state, std::span<const double> cost, Seconds reduction) const {
  auto& [post, end, skipped] = state;
  const double after = reduction.count();
  for (std::size_t i = 0; i < post.size(); ++i) {
    end[i] = std::max(post[i], post[next_[i]]) + cost[i];
  }
  const std::size_t width = channels_.size();
  for (std::size_t first = 0; first < post.size(); first += width) {
    double now = post[first + width - 1];
    for (std::size_t i = first; i < first + width; ++i) {
      now = std::max(std::max(now, end[previous_[i]]) + after, end[i]);
      post[i] = now;
    }
  }
}

std::vector<PairTraffic> ChannelRecurrence::traffic() const {
  const Chunks shares{{0, elements_}, static_cast<int>(channels_.size())};
  std::vector<PairTraffic> all;
  all.reserve(hops_.size());
  for (int position = 0; position < ranks(); ++position) {
    for (int c = 0; c < shares.count(); ++c) {
      const RingOrder& ring = channels_[static_cast<std::size_t>(c)];
      all.push_back(ring_traffic({*paths_, *hops_[all.size()]}, ring,
                                 ring.position_of(rank_at(position)), shares[c].count,
                                 size_of(reduction_.type)));
    }
  }
  return all;
}

}  // namespace ringcast
