#include "app/predict/async_window.hpp"

#include <algorithm>
#include <cmath>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// The rounds `first` to `last` - 1 of a worker.
struct CountedRounds {
  std::ptrdiff_t first;
  std::ptrdiff_t last;
};

class AsyncWindow {
 public:
  explicit AsyncWindow(std::span<const StepTimes> ranks) {
    for (const StepTimes& rank : ranks) {
      if (!rank.allreduces.empty()) begin_ = std::max(begin_, rank.allreduces.front().end);
    }
    for (const StepTimes& rank : ranks) {
      if (rank.allreduces.empty()) continue;
      end_ = std::max(end_, end_of(rank, ended_by(begin_, rank) + window_rounds - 1));
    }
  }
  [[nodiscard]] Seconds end() const { return end_; }
  [[nodiscard]] Seconds length() const { return end_ - begin_; }
  [[nodiscard]] CountedRounds rounds_of(const StepTimes& worker) const {
    return {ended_by(begin_, worker), ended_by(end_, worker)};
  }

 private:
  [[nodiscard]] static std::ptrdiff_t ended_by(Seconds time, const StepTimes& worker) {
    const auto& rounds = worker.allreduces;
    return std::ranges::upper_bound(rounds, time, {}, &Interval::end) - rounds.begin();
  }
  /// Extrapolated, if the worker has made fewer rounds.
  [[nodiscard]] static Seconds end_of(const StepTimes& worker, std::ptrdiff_t round) {
    const auto& rounds = worker.allreduces;
    if (round < std::ssize(rounds)) return rounds[static_cast<std::size_t>(round)].end;
    return static_cast<double>(round + 1) / static_cast<double>(rounds.size()) * rounds.back().end;
  }

  Seconds begin_{0};
  Seconds end_{0};
};

}  // namespace

MeanRound mean_round(std::span<const StepTimes> ranks) {
  const AsyncWindow window{ranks};
  if (window.length() == Seconds{0}) return {};
  int workers = 0;
  double rounds_per_s = 0;
  double computing = 0;  // workers, on average
  double exchanging = 0;
  for (const StepTimes& rank : ranks) {
    if (rank.allreduces.empty()) continue;
    const auto [first, last] = window.rounds_of(rank);
    expect(last - first >= window_rounds, "{} rounds in the window", last - first);
    Seconds compute{0};
    Seconds exchange{0};
    for (auto round = static_cast<std::size_t>(first); round < static_cast<std::size_t>(last);
         ++round) {
      const Interval& pushed = rank.allreduces[round];
      compute += pushed.begin - rank.allreduces[round - 1].end;
      exchange += pushed.length();
    }
    const Seconds length = compute + exchange;
    const auto count = static_cast<double>(last - first);
    ++workers;
    rounds_per_s += std::min(count / length.count(), (count + 1) / window.length().count());
    computing += compute / length;
    exchanging += exchange / length;
  }
  return {Seconds{workers / rounds_per_s}, Seconds{computing / rounds_per_s},
          Seconds{exchanging / rounds_per_s}};
}

bool fill_window(std::span<int> rounds, std::span<const StepTimes> ranks) {
  const AsyncWindow window{ranks};
  bool any = false;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    if (ranks[i].allreduces.empty() || ranks[i].allreduces.back().end >= window.end()) continue;
    const double more = window.end() / ranks[i].allreduces.back().end;
    rounds[i] = static_cast<int>(std::ceil(rounds[i] * more)) + 1;
    any = true;
  }
  return any;
}

}  // namespace ringcast
