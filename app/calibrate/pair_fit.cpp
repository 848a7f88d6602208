#include "app/calibrate/pair_fit.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "app/calibrate/fit.hpp"
#include "app/common/mapped.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

// The range of message times, far beyond those of real machines at either end.
constexpr double least_time = 1e-10;
constexpr double most_time = 1.0;
// The part of the squared residuals that a handshake must explain not to be noise.
constexpr double explained = 0.75;

Seconds message_time(const PairCost& cost, Bytes size) {
  return cost.overhead + size / cost.bandwidth;
}
Seconds latency_of(const PairCost& cost, Bytes size) {
  const bool shakes_hands = cost.eager_limit && size > *cost.eager_limit;
  return cost.latency + (shakes_hands ? cost.handshake : Seconds{0});
}

struct Search {
  PairCost cost;
  Fit fit;
  [[nodiscard]] double error() const {
    double sum = 0;
    for (const double residual : fit.residuals) {
      sum += residual * residual;
    }
    return sum;
  }
};

PairCost cost_of(const std::vector<double>& values, std::optional<Bytes> eager_limit) {
  PairCost cost{Seconds{values[0]}, Seconds{values[1]}, BytesPerSecond{values[2]}, eager_limit,
                Seconds{0}};
  if (eager_limit) cost.handshake = Seconds{values[3]};
  return cost;
}

Search search(std::span<const PatternTimes> samples, std::optional<Bytes> eager_limit) {
  std::vector<Seconds> measured;
  measured.reserve(samples.size());
  double shortest = most_time;
  double fastest = 1;
  for (const PatternTimes& sample : samples) {
    measured.push_back(sample.times.front());
    const double each = sample.times.front().count() / sample.pattern.messages;
    shortest = std::min(shortest, each);
    fastest = std::max(fastest, static_cast<double>(sample.pattern.size.count()) / each);
  }
  const double start = std::clamp(shortest / 2, least_time, most_time);
  std::vector<FitNumber> numbers{{"latency", start, least_time, most_time},
                                 {"overhead", start, least_time, most_time},
                                 {"bandwidth", fastest, fastest / 100, fastest * 100}};
  if (eager_limit) numbers.push_back({"handshake", start, least_time, most_time});
  const auto predict = [&](const std::vector<double>& values) {
    const PairCost cost = cost_of(values, eager_limit);
    return mapped(samples,
                  [&](const PatternTimes& sample) { return pair_time(cost, sample.pattern); });
  };
  Fit found = fit(numbers, predict, measured);
  const std::vector<double> values = mapped(found.numbers, [](const FittedNumber& number) {
    return number.at_bound && number.value <= least_time ? 0 : number.value;
  });
  return {cost_of(values, eager_limit), std::move(found)};
}

/// The possible eager limits: between two measured sizes, with at least two sizes above, so that
/// no handshake is fitted to a single row.
std::vector<Bytes> possible_limits(std::span<const PatternTimes> samples) {
  std::set<Bytes> sizes;
  for (const PatternTimes& sample : samples) {
    sizes.insert(sample.pattern.size);
  }
  std::vector<Bytes> limits;
  const std::vector<Bytes> sorted{sizes.begin(), sizes.end()};
  for (std::size_t i = 1; i + 2 < sorted.size(); ++i) {
    limits.push_back(sorted[i]);
  }
  return limits;
}

}  // namespace

Seconds pair_time(const PairCost& cost, const Pattern& pattern) {
  const Seconds each = message_time(cost, pattern.size);
  const Seconds latency = latency_of(cost, pattern.size);
  const double messages = pattern.messages;
  switch (pattern.kind) {
    case PatternKind::ping_pong:
      return 2 * messages * (latency + each);
    case PatternKind::acknowledged:
      return latency + messages * each + latency_of(cost, acknowledgement) +
             message_time(cost, acknowledgement);
    case PatternKind::passed:
    case PatternKind::passed_reduced:
    case PatternKind::lent:
      return messages * (latency + each);
    default:
      return latency + messages * each;
  }
}

BytesPerSecond rate_of(const PatternTimes& sample, std::size_t flow, const PairCost& cost) {
  PairCost no_transfer = cost;
  no_transfer.bandwidth = BytesPerSecond{1e30};
  const Seconds transfer = std::max(sample.times[flow] - pair_time(no_transfer, sample.pattern),
                                    0.01 * sample.times[flow]);
  return static_cast<std::uint64_t>(sample.pattern.messages) * sample.pattern.size / transfer;
}

double sum_of_rates(const PatternTimes& sample, const PairCost& cost) {
  double sum = 0;
  for (std::size_t flow = 0; flow < sample.times.size(); ++flow) {
    sum += rate_of(sample, flow, cost).value();
  }
  return sum;
}

PairFit fit_pair(std::span<const PatternTimes> samples) {
  if (samples.size() < 3) {
    throw ScenarioError{"calibration: too few samples of a pair (expected three or more)"};
  }
  Search best = search(samples, std::nullopt);
  const double without = best.error();
  // Without residuals there is nothing to explain.
  const double exact = 1e-8 * static_cast<double>(samples.size());
  for (const Bytes limit : without > exact ? possible_limits(samples) : std::vector<Bytes>{}) {
    Search other = search(samples, limit);
    if (other.error() < (1 - explained) * without && other.error() < best.error()) {
      best = std::move(other);
    }
  }
  PairFit found{best.cost, 0, 0, {}, samples.front().pattern.size, samples.front().pattern.size};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double residual = std::abs(best.fit.residuals[i]);
    const Bytes size = samples[i].pattern.size;
    found.residual += residual / static_cast<double>(samples.size());
    if (residual > found.worst) {
      found.worst = residual;
      found.worst_size = size;
    }
    found.least = std::min(found.least, size);
    found.most = std::max(found.most, size);
  }
  return found;
}

std::vector<PatternTimes> without_caches(std::vector<PatternTimes> rows) {
  // Up to this size, latency and overheads dominate the time of a message.
  constexpr Bytes small{2048};
  const auto size_of_row = [](const PatternTimes& row) { return row.pattern.size; };
  const Bytes largest = size_of_row(std::ranges::max(rows, {}, size_of_row));
  std::erase_if(rows, [&](const PatternTimes& row) {
    return row.pattern.size > small && row.pattern.size < largest;
  });
  return rows;
}

}  // namespace ringcast
