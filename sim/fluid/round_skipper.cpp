#include "sim/fluid/round_skipper.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ringcast {
namespace {

bool repeats_state(const RoundState& now, const RoundState& then) {
  if (!now.is_complete || !then.is_complete || now.ranks != then.ranks) return false;
  if (now.counts != then.counts) return false;
  // The difference of two times has an error of at most two roundings of the later one.
  constexpr double relative = 1e-12;
  constexpr double rounding_of_time = 4e-16;
  const double tolerance =
      relative * (now.now - then.now).count() + rounding_of_time * now.now.count();
  return std::ranges::equal(now.seconds, then.seconds,
                            [&](double a, double b) { return std::abs(a - b) <= tolerance; });
}

}  // namespace

std::int64_t RoundSkipper::repeats(std::size_t rank, AlikeRounds rounds) {
  RankRounds& mine = ranks_[rank];
  const std::int64_t skipped = std::exchange(mine.to_skip, 0);
  if (rank == 0) {
    if (rounds.next != mine.left - rounds.last) {
      forget();  // another loop
    }
    wants_state_ = rounds.next > 0;
  }
  mine.round += rounds.last + skipped;
  mine.left = rounds.next - skipped;
  return skipped;
}

bool RoundSkipper::has_seen(const Fingerprint& ranks) const {
  return std::ranges::find(past_, ranks, &RoundState::ranks) != past_.end();
}

std::size_t RoundSkipper::find_period(const RoundState& state) const {
  const auto same = std::ranges::find_if(
      past_, [&](const RoundState& then) { return repeats_state(state, then); });
  return same == past_.end() ? 0 : static_cast<std::size_t>(same - past_.begin()) + 1;
}

void RoundSkipper::forget() {
  past_.clear();
  observed_ = 0;
}

/// The number of states to keep: those of large jobs take tens of megabytes each, and together no
/// more than the simulation itself.
std::size_t RoundSkipper::most_past() const {
  constexpr std::size_t most_times = 20'000'000;
  constexpr std::size_t shortest = 4;
  std::size_t times = 0;
  std::size_t states = 0;
  for (const RoundState& each : past_) {
    times += each.seconds.size();
    if (states >= shortest && times > most_times) break;
    ++states;
  }
  return std::min(states, longest_period);
}

std::optional<RoundSkipper::Skip> RoundSkipper::observe(RoundState state) {
  wants_state_ = false;
  state.round = ranks_.front().round;
  const std::size_t period = find_period(state);
  confirmed_ = period == period_ ? confirmed_ + 1 : 1;
  period_ = period;
  std::int64_t left = ranks_.front().left;
  for (const RankRounds& rank : ranks_) {
    left = std::min(left, rank.to_skip > 0 ? 0 : rank.left);
  }
  std::optional<Skip> skip;
  // Each rank still ends its current round, and runs the last of the equal ones.
  const std::int64_t rounds = period == 0 ? 0 : state.round - past_[period - 1].round;
  const std::int64_t periods = period == 0 ? 0 : (left - 2) / rounds;
  if (confirmed_ >= confirmations && periods > 0) {
    const RoundState& then = past_[period - 1];
    skip = Skip{periods, static_cast<double>(periods) * (state.now - then.now), {}};
    skip->traffic.resize(state.traffic.size());
    for (std::size_t i = 0; i < state.traffic.size(); ++i) {
      skip->traffic[i].add(static_cast<std::uint64_t>(periods), state.traffic[i], then.traffic[i]);
    }
    skipped_ += skip->time;
    for (RankRounds& rank : ranks_) {
      rank.to_skip = periods * rounds;
    }
    forget();
    return skip;
  }
  ++observed_;
  past_.push_front(std::move(state));
  const std::size_t most = most_past();
  while (past_.size() > most) {
    past_.pop_back();
  }
  return skip;
}

}  // namespace ringcast
