#include "app/calibrate/pattern_runner.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "app/common/median.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

constexpr Tag data_tag{0};
constexpr Tag back_tag{1};
constexpr Tag control_tag{2};

Bytes bytes_of(std::size_t doubles) {
  return Bytes{doubles * sizeof(double)};
}

/// The rank that measures a flow's time.
Rank timekeeper(PatternKind kind, const Flow& flow) {
  const bool sender = kind == PatternKind::ping_pong || kind == PatternKind::acknowledged;
  return sender ? flow.from : flow.to;
}

/// The sample's medians. `kept`: by rank, the times that it measured.
PatternTimes sample_of(const Pattern& pattern, const std::vector<std::vector<double>>& kept) {
  PatternTimes sample{pattern, {}, static_cast<int>(kept.front().size())};
  sample.times.reserve(pattern.flows.size());
  for (const Flow& flow : pattern.flows) {
    const auto& times = kept[static_cast<std::size_t>(index_of(timekeeper(pattern.kind, flow)))];
    sample.times.emplace_back(median(times));
  }
  return sample;
}

}  // namespace

PatternRunner::PatternRunner(RankContext& self, Bytes longest, Bytes passed, PatternEffort effort)
    : self_{self},
      effort_{effort},
      me_{self.network.rank()},
      ranks_{self.network.size()},
      source_{self.memory.allocate(longest)},
      landing_{self.memory.allocate(std::max(longest, passed))},
      control_{self.memory.allocate(bytes_of(static_cast<std::size_t>(effort.most_repetitions)))} {
  // Unwritten pages would all be mapped to one page of zeros, which stays in the cache.
  const std::vector<std::byte> page(std::min<std::uint64_t>(longest.count(), 1U << 20U));
  for (std::uint64_t at = 0; at < longest.count(); at += page.size()) {
    const std::uint64_t length = std::min<std::uint64_t>(page.size(), longest.count() - at);
    self.memory.write({source_, Bytes{at}, Bytes{length}}, std::span{page}.first(length));
  }
}

Slice PatternRunner::part(BufferId buffer, Bytes size, int message) const {
  return {buffer, static_cast<std::uint64_t>(message) * size, size};
}

std::vector<std::vector<double>> PatternRunner::gathered(const std::vector<double>& mine) {
  const Slice slice = control(bytes_of(mine.size()));
  if (me_ != Rank{0}) {
    self_.memory.write(slice, std::as_bytes(std::span{mine}));
    self_.network.send(Rank{0}, slice, control_tag).wait();
    return {};
  }
  std::vector<std::vector<double>> all(static_cast<std::size_t>(ranks_),
                                       std::vector<double>(mine.size()));
  all.front() = mine;
  for (int rank = 1; rank < ranks_; ++rank) {
    self_.network.recv(Rank{rank}, slice, control_tag).wait();
    self_.memory.read(slice,
                      std::as_writable_bytes(std::span{all[static_cast<std::size_t>(rank)]}));
  }
  return all;
}

double PatternRunner::broadcast(double on_root) {
  const Slice slice = control(bytes_of(1));
  if (me_ != Rank{0}) {
    self_.network.recv(Rank{0}, slice, control_tag).wait();
    self_.memory.read(slice, std::as_writable_bytes(std::span{&on_root, 1}));
    return on_root;
  }
  self_.memory.write(slice, std::as_bytes(std::span{&on_root, 1}));
  std::vector<Pending> sends;
  sends.reserve(static_cast<std::size_t>(ranks_));
  for (int rank = 1; rank < ranks_; ++rank) {
    sends.push_back(self_.network.send(Rank{rank}, slice, control_tag));
  }
  wait_all(sends);
  return on_root;
}

void PatternRunner::start_together() {
  static_cast<void>(gathered({0}));
  static_cast<void>(broadcast(0));
}

std::optional<PatternTimes> PatternRunner::measure(const Pattern& pattern) {
  start_together();
  const Seconds first = run_once(pattern);
  double slowest = 0;
  for (const std::vector<double>& each : gathered({first.count()})) {
    slowest = std::max(slowest, each.front());
  }
  const double affordable = slowest > 0 ? effort_.budget.count() / slowest : 1e9;
  const auto repetitions = static_cast<int>(
      broadcast(std::clamp(affordable, static_cast<double>(effort_.least_repetitions),
                           static_cast<double>(effort_.most_repetitions))));
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(repetitions));
  for (int i = 0; i < repetitions; ++i) {
    start_together();
    times.push_back(run_once(pattern).count());
  }
  const auto kept = gathered(times);
  if (me_ != Rank{0}) return std::nullopt;
  return sample_of(pattern, kept);
}

Seconds PatternRunner::run_once(const Pattern& pattern) {
  switch (pattern.kind) {
    case PatternKind::ping_pong:
      return ping_pong(pattern);
    case PatternKind::acknowledged:
      return acknowledged(pattern);
    case PatternKind::stream:
    case PatternKind::reduced:
      return stream(pattern);
    case PatternKind::passed:
    case PatternKind::passed_reduced:
      return passed(pattern);
    case PatternKind::lent:
      return lent(pattern);
    case PatternKind::combined_here:
      return combined_here(pattern);
  }
  throw ContractViolation{"a pattern of no kind"};
}

std::vector<Pending> PatternRunner::sends(const Pattern& pattern) {
  std::vector<Pending> pending;
  for (const Flow& flow : pattern.flows) {
    for (int i = 0; flow.from == me_ && i < pattern.messages; ++i) {
      pending.push_back(self_.network.send(flow.to, part(source_, pattern.size, i), data_tag));
    }
  }
  return pending;
}

Pending PatternRunner::receive(Rank from, Slice into, PatternKind kind) {
  return combines(kind) ? self_.network.recv_accumulate(from, into, data_tag)
                        : self_.network.recv(from, into, data_tag);
}

std::vector<Pending> PatternRunner::recvs(const Pattern& pattern) {
  std::vector<Pending> pending;
  for (const Flow& flow : pattern.flows) {
    for (int i = 0; flow.to == me_ && i < pattern.messages; ++i) {
      pending.push_back(receive(flow.from, part(landing_, pattern.size, i), pattern.kind));
    }
  }
  return pending;
}

// Ranks do not leave start_together() at the same instant: if the sender is the timekeeper, its
// clock begins when the receiver has signalled that it is ready.

Seconds PatternRunner::ping_pong(const Pattern& pattern) {
  const Slice out = part(source_, pattern.size, 0);
  const Slice in = part(landing_, pattern.size, 0);
  for (const Flow& flow : pattern.flows) {
    if (flow.from == me_) {
      self_.network.recv(flow.to, control(acknowledgement), control_tag).wait();
      const Seconds start = self_.network.now();
      for (int i = 0; i < pattern.messages; ++i) {
        Pending back = self_.network.recv(flow.to, in, back_tag);
        self_.network.send(flow.to, out, data_tag).wait();
        back.wait();
      }
      return self_.network.now() - start;
    }
    if (flow.to == me_) {
      std::optional<Pending> next{self_.network.recv(flow.from, in, data_tag)};
      self_.network.send(flow.from, control(acknowledgement), control_tag).wait();
      for (int i = 0; i < pattern.messages; ++i) {
        next->wait();
        next.reset();
        Pending back = self_.network.send(flow.from, out, back_tag);
        if (i + 1 < pattern.messages) next.emplace(self_.network.recv(flow.from, in, data_tag));
        back.wait();
      }
    }
  }
  return Seconds{0};
}

Seconds PatternRunner::acknowledged(const Pattern& pattern) {
  for (const Flow& flow : pattern.flows) {
    if (flow.from == me_) {
      self_.network.recv(flow.to, control(acknowledgement), control_tag).wait();
      const Seconds start = self_.network.now();
      Pending back = self_.network.recv(flow.to, control(acknowledgement), back_tag);
      std::vector<Pending> out = sends(pattern);
      wait_all(out);
      back.wait();
      return self_.network.now() - start;
    }
    if (flow.to == me_) {
      std::vector<Pending> in = recvs(pattern);
      self_.network.send(flow.from, control(acknowledgement), control_tag).wait();
      wait_all(in);
      self_.network.send(flow.from, control(acknowledgement), back_tag).wait();
    }
  }
  return Seconds{0};
}

Seconds PatternRunner::stream(const Pattern& pattern) {
  const Seconds start = self_.network.now();
  std::vector<Pending> in = recvs(pattern);
  std::vector<Pending> out = sends(pattern);
  const bool receives = !in.empty();
  wait_all(in);
  const Seconds end = self_.network.now();
  wait_all(out);
  return receives ? end - start : Seconds{0};
}

// The memory accesses of a ring's steps: what is read was just written by another core, and what is
// written was read by another. There are no further copies.
Seconds PatternRunner::passed(const Pattern& pattern) {
  const auto [from, to] = neighbours(pattern, me_);
  const Seconds start = self_.network.now();
  for (int step = 0; from && to && step < pattern.messages; ++step) {
    Pending in = receive(*from, part(landing_, pattern.size, step % 2), pattern.kind);
    Pending out = self_.network.send(*to, part(landing_, pattern.size, (step + 1) % 2), data_tag);
    in.wait();
    out.wait();
  }
  return self_.network.now() - start;
}

// The memory accesses of recursive halving and doubling.
Seconds PatternRunner::lent(const Pattern& pattern) {
  const auto [from, to] = neighbours(pattern, me_);
  const Slice kept = part(landing_, pattern.size, 0);
  const Slice given = part(landing_, pattern.size, 1);
  const Seconds start = self_.network.now();
  for (int round = 0; from && to && 2 * round < pattern.messages; ++round) {
    Pending in = receive(*from, kept, pattern.kind);
    self_.network.send(*to, given, data_tag, Returns{back_tag}).wait();
    in.wait();
    Pending back = self_.network.recv(*to, given, back_tag);
    self_.network.send(*from, kept, back_tag).wait();
    back.wait();
  }
  return self_.network.now() - start;
}

Seconds PatternRunner::combined_here(const Pattern& pattern) {
  const Flow here{me_, me_};
  if (std::ranges::find(pattern.flows, here) == pattern.flows.end()) return Seconds{0};
  const Seconds start = self_.network.now();
  for (int i = 0; i < pattern.messages; ++i) {
    self_.reducer.accumulate(part(landing_, pattern.size, i), part(source_, pattern.size, i))
        .wait();
  }
  return self_.network.now() - start;
}

}  // namespace ringcast
