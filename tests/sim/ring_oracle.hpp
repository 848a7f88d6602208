#pragma once

#include <algorithm>
#include <coroutine>
#include <deque>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "engine/schedule/ring_order.hpp"
#include "tests/sim/fluid.hpp"
#include "topology/transfers/transfer_path.hpp"

/// An oracle for the ring: the all-reduce of one ring per channel, written a second time, on Fluid.
/// It takes only the paths and their costs from the code under test, not the schedule, the streams
/// or the simulator.
namespace ringcast::testing {

/// A program that waits in simulated time; it frees itself when it ends.
struct Process {
  struct promise_type {
    Process get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

/// What one process waits for, and another or a flow announces.
class Signal {
 public:
  void raise() {
    raised_ = true;
    if (waiting_) {
      std::exchange(waiting_, nullptr).resume();
    }
  }
  [[nodiscard]] bool await_ready() const { return raised_; }
  void await_suspend(std::coroutine_handle<> waiting) { waiting_ = waiting; }
  void await_resume() const {}

 private:
  bool raised_ = false;
  std::coroutine_handle<> waiting_ = nullptr;
};

class RingOracle {
 public:
  struct Job {
    std::vector<RingOrder> channels;
    std::uint64_t elements;
    std::uint64_t element_size;
    std::uint64_t segment_elements;  // 0: whole chunks
  };

  /// How many seconds longer each message of a hop takes, and each copy of a rank.
  using Jitter = std::function<double()>;
  RingOracle(const TransferPaths& paths, Job job, Jitter jitter)
      : paths_{paths}, job_{std::move(job)}, jitter_{std::move(jitter)}, fluid_{rates_of(paths)} {}

  /// When the last rank has ended.
  [[nodiscard]] double time() {
    const std::size_t channels = job_.channels.size();
    hops_.resize(channels);
    for (std::size_t c = 0; c < channels; ++c) {
      hops_[c].resize(static_cast<std::size_t>(paths_.ranks()));
      for (int p = 0; p < paths_.ranks(); ++p) {
        Hop& hop = hops_[c][at(p)];
        hop.from = job_.channels[c].rank_at(p);
        hop.to = job_.channels[c].rank_at((p + 1) % paths_.ranks());
        hop.path = paths_.ranks() > 1 ? &paths_.between(hop.from, hop.to) : nullptr;
        hop.jitter = jitter_();
      }
    }
    for (int rank = 0; rank < paths_.ranks(); ++rank) {
      copy_jitter_.push_back(jitter_());
      run_rank(Rank{rank});
    }
    fluid_.run();
    return end_;
  }

 private:
  struct Posted {
    double time;
    std::uint64_t bytes;
    double limit;
    Signal* done;
  };
  /// The messages of a channel between two neighbours, one at a time on the wire.
  struct Hop {
    Rank from;
    Rank to;
    const TransferPath* path = nullptr;
    double jitter = 0;
    std::deque<Posted> sends;
    std::deque<Posted> receives;
    bool busy = false;
    double free_at = -1;  // when the last message ended
  };
  /// One transfer of a rank: a segment out and one in.
  struct Transfer {
    std::uint64_t out_bytes;
    std::uint64_t in_bytes;
    bool reduces;
    Signal sent;
    Signal received;
  };

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  static std::vector<double> rates_of(const TransferPaths& paths) {
    std::vector<double> rates;
    for (const Link& link : paths.topology().links()) {
      rates.push_back(link.bandwidth.value());
    }
    return rates;
  }
  static std::vector<int> links_of(const Leg& leg) {
    std::vector<int> links;
    for (const LinkId link : leg.links) {
      links.push_back(static_cast<int>(index_of(link)));
    }
    return links;
  }
  /// `total` in `parts`, the first ones longer by one; the length of a part.
  static std::uint64_t part(std::uint64_t total, std::uint64_t parts, std::uint64_t index) {
    return total / parts + (index < total % parts ? 1 : 0);
  }

  [[nodiscard]] std::uint64_t segments_of(std::size_t channel) const {
    const std::uint64_t share = part(job_.elements, job_.channels.size(), channel);
    const std::uint64_t largest = part(share, at(paths_.ranks()), 0);
    const std::uint64_t segment = job_.segment_elements;
    return segment == 0 || largest <= segment ? 1 : (largest + segment - 1) / segment;
  }
  /// Chunk c starts at position c + 1 and moves one position per step, twice round less one hop
  /// each: in step s position p sends chunk p - 1 - s, and gets what p - 1 sends.
  [[nodiscard]] std::uint64_t bytes(std::size_t channel, int position, std::uint64_t step,
                                    std::uint64_t segment) const {
    const auto n = paths_.ranks();
    const int chunk = ((position - 1 - static_cast<int>(step)) % n + 2 * n) % n;
    const std::uint64_t share = part(job_.elements, job_.channels.size(), channel);
    const std::uint64_t elements = part(share, at(n), at(chunk));
    return job_.element_size * part(elements, segments_of(channel), segment);
  }

  /// The oldest message of a hop goes when both sides are there and the wire is free.
  void begin(Hop& hop) {
    if (hop.busy || hop.sends.empty() || hop.receives.empty()) {
      return;
    }
    hop.busy = true;
    const Posted send = hop.sends.front();
    const Posted receive = hop.receives.front();
    const double overhead = hop.path->overhead.count();
    double from = std::max(send.time, receive.time) + overhead +
                  paths_.latency(*hop.path, Bytes{send.bytes}).count();
    if (hop.free_at >= 0) {
      from = std::max(from, hop.free_at + overhead);
    }
    fluid_.at(from + hop.jitter, [this, &hop, send, receive] {
      const Leg& leg = hop.path->main;
      const double own = leg.limit.value() > 0 ? leg.limit.value() : Fluid::no_cap;
      fluid_.flow(links_of(leg),
                  static_cast<double>(hop.path->wire_bytes_of(Bytes{send.bytes}).count()),
                  std::min(own, receive.limit), [this, &hop, send, receive] {
                    hop.busy = false;
                    hop.free_at = fluid_.now();
                    hop.sends.pop_front();
                    hop.receives.pop_front();
                    begin(hop);
                    receive.done->raise();
                    send.done->raise();
                  });
    });
  }

  void sleep(double seconds, Signal& over) {
    fluid_.at(fluid_.now() + seconds, [&over] { over.raise(); });
  }
  void copy(Rank rank, CopyDirection direction, std::uint64_t bytes, Signal& over) {
    const Leg leg = paths_.copy_leg(rank, direction);
    const double latency = leg.latency.count() + copy_jitter_[at(index_of(rank))];
    fluid_.at(fluid_.now() + latency, [this, leg, bytes, &over] {
      fluid_.flow(links_of(leg), static_cast<double>(bytes),
                  leg.limit.value() > 0 ? leg.limit.value() : Fluid::no_cap,
                  [&over] { over.raise(); });
    });
  }

  /// The channels in turn; each has as many transfers in flight as a chunk has segments.
  Process run_rank(Rank rank) {
    const TransportProfile& profile = paths_.profile();
    const auto n = static_cast<std::uint64_t>(paths_.ranks());
    Signal called;
    sleep(profile.call_overhead.count(), called);
    co_await called;
    struct Channel {
      std::uint64_t segments;
      std::uint64_t count;
      int position;
      std::deque<Transfer> in_flight;
    };
    std::vector<Channel> channels;
    std::uint64_t most = 0;
    for (std::size_t c = 0; c < job_.channels.size(); ++c) {
      const std::uint64_t segments = segments_of(c);
      channels.push_back(
          {segments, 2 * (n - 1) * segments, job_.channels[c].position_of(rank), {}});
      most = std::max(most, channels.back().count);
    }
    const auto filled = [&](std::uint64_t i) {
      for (std::size_t c = 0; c < channels.size(); ++c) {
        const auto& [segments, count, position, in_flight] = channels[c];
        const int previous = (position + paths_.ranks() - 1) % paths_.ranks();
        if (i < count && (bytes(c, position, i / segments, i % segments) > 0 ||
                          bytes(c, previous, i / segments, i % segments) > 0)) {
          return true;
        }
      }
      return false;
    };
    // Rounds without elements are left out; the one past the last waits for what is in flight.
    for (std::uint64_t i = 0; i <= most; ++i) {
      if (i < most && !filled(i)) continue;
      for (std::size_t c = 0; c < channels.size(); ++c) {
        Channel& channel = channels[c];
        Hop& out = hops_[c][at(channel.position)];
        Hop& in = hops_[c][at((channel.position + paths_.ranks() - 1) % paths_.ranks())];
        const bool more = i < channel.count;
        while (!channel.in_flight.empty() &&
               (i == most || (more && channel.in_flight.size() == channel.segments))) {
          Transfer& oldest = channel.in_flight.front();
          if (oldest.in_bytes > 0) {
            co_await oldest.received;
            if (in.path->copy_up) {
              Signal copied;
              copy(rank, CopyDirection::to_device, oldest.in_bytes, copied);
              co_await copied;
            }
            if (oldest.reduces && !profile.fused_reduction) {
              const double rate = profile.reduce_rate.value();
              Signal reduced;
              sleep(profile.reduce_overhead.count() +
                        (rate > 0 ? static_cast<double>(oldest.in_bytes) / rate : 0),
                    reduced);
              co_await reduced;
            }
          }
          if (oldest.out_bytes > 0) {
            co_await oldest.sent;
          }
          channel.in_flight.pop_front();
        }
        if (!more) {
          continue;
        }
        const std::uint64_t step = i / channel.segments;
        const std::uint64_t segment = i % channel.segments;
        const int previous = channel.position + paths_.ranks() - 1;
        Transfer& transfer = channel.in_flight.emplace_back();
        transfer.out_bytes = bytes(c, channel.position, step, segment);
        transfer.in_bytes = bytes(c, previous % paths_.ranks(), step, segment);
        transfer.reduces = step < n - 1;
        if (transfer.in_bytes > 0) {
          const bool limited = transfer.reduces && profile.fused_reduction &&
                               profile.reduce_rate > BytesPerSecond{0};
          in.receives.push_back({fluid_.now(), transfer.in_bytes,
                                 limited ? profile.reduce_rate.value() : Fluid::no_cap,
                                 &transfer.received});
          begin(in);
        }
        if (transfer.out_bytes > 0) {
          if (out.path->copy_down) {
            Signal copied;
            copy(rank, CopyDirection::to_host, transfer.out_bytes, copied);
            co_await copied;
          }
          out.sends.push_back({fluid_.now(), transfer.out_bytes, Fluid::no_cap, &transfer.sent});
          begin(out);
        }
      }
    }
    end_ = std::max(end_, fluid_.now());
  }

  const TransferPaths& paths_;
  Job job_;
  Jitter jitter_;
  Fluid fluid_;
  std::vector<std::vector<Hop>> hops_;  // by channel and position of the sender
  std::vector<double> copy_jitter_;     // by rank
  double end_ = 0;
};

}  // namespace ringcast::testing
