#pragma once

#include <gtest/gtest.h>

#include "engine/collectives/allreduce_algorithms.hpp"
#include "tests/rival_cost.hpp"
#include "tests/sim/forked.hpp"
#include "tests/sim/machines.hpp"

/// Shared by the tests of closed forms: an all-reduce on a simulated star.
namespace ringcast::testing {

inline constexpr BytesPerSecond bandwidth = 10_GBps;
// Two cables are crossed from GPU to GPU.
inline constexpr Seconds cable_latency = 1_us;
inline constexpr Seconds hop_latency = 2_us;

// Each of the wire's rate and the reduction's is the slower one somewhere; zero: no cost.
inline constexpr BytesPerSecond reduce_rates[] = {0_GBps, 100_GBps, 20_GBps, 5_GBps};

inline HopCost hop(BytesPerSecond reduce_rate = BytesPerSecond{0}) {
  const bool reduces = reduce_rate > BytesPerSecond{0};
  return {hop_latency, bandwidth, Seconds{reduces ? 1 / reduce_rate.value() : 0.0}};
}

inline CollectiveOptions options_of(const StarShape& shape) {
  CollectiveOptions options{{RingOrder::identity(shape.ranks)}, std::nullopt};
  if (shape.segment_size > Bytes{0}) {
    options.segment_size = shape.segment_size;
  }
  return options;
}

/// On as many ranks as the options need: a dedicated server has a buffer, too.
inline RankProgram program(const std::string& algorithm, const CollectiveOptions& options,
                           Bytes size) {
  return [=](RankContext& self) {
    make_allreduce(algorithm, options)->run({self.memory.allocate(size), size.count() / 4}, self);
  };
}

inline double simulated(const std::string& algorithm, const CollectiveOptions& options, int ranks,
                        Bytes size, BytesPerSecond reduce_rate) {
  TransportProfile profile = free_of_cost();
  profile.reduce_rate = reduce_rate;
  return number_from_fork([&] {
    return simulated_time(star(ranks, bandwidth, cable_latency), profile,
                          program(algorithm, options, size))
        .count();
  });
}

inline double simulated(const std::string& algorithm, const StarShape& shape,
                        BytesPerSecond reduce_rate = BytesPerSecond{0}) {
  return simulated(algorithm, options_of(shape), shape.ranks, shape.size, reduce_rate);
}

inline double simulated_message_count(const std::string& algorithm,
                                      const CollectiveOptions& options, int ranks, Bytes size) {
  return number_from_fork([&] {
    const Topology topology{star(ranks, bandwidth, cable_latency)};
    SimTransport transport{topology, ranks, free_of_cost(), Reduction{}, {}};
    transport.run(program(algorithm, options, size));
    double messages = 0;
    for (const PairTraffic& pair : transport.report().traffic) {
      messages += static_cast<double>(pair.messages);
    }
    return messages;
  });
}

inline std::string text_of(const StarShape& shape, BytesPerSecond reduce_rate) {
  return fmt::format("{} ranks, {} in segments of {}, reduced at {}", shape.ranks,
                     to_text(shape.size), to_text(shape.segment_size), to_text(reduce_rate));
}

}  // namespace ringcast::testing
