// The measured time of a simulated collective is the closed form's: neither the barrier nor
// anything else counts.
#include "app/measure/timing.hpp"

#include "tests/ring_cost.hpp"
#include "tests/sim/star_runs.hpp"

namespace ringcast {
namespace {

using namespace testing;

SimOptions options_with_data() {
  SimOptions options;
  options.with_data = true;
  return options;
}

/// The median time of some repetitions.
double timed(int ranks, Bytes size) {
  const Topology topology{star(ranks, bandwidth, cable_latency)};
  SimTransport transport{topology, ranks, free_of_cost(), Reduction{}, options_with_data()};
  double median = 0;
  transport.run([&](RankContext& self) {
    const CheckedData data{self.memory.allocate(size), size.count() / 4, Reduction{}, ranks};
    const auto ring = make_allreduce("ring", {{RingOrder::identity(ranks)}, std::nullopt});
    TimingOptions options;
    options.warmup = 2;
    options.repetitions = 3;
    const Timing timing = time_collective(self, *ring, data, options);
    median = summary_of(timing.times).median.count();
  });
  return median;
}

// All ranks leave the barrier at the same time: each sends and receives one message a round.
TEST(SimulatedTiming, IsTheClosedFormsTime) {
  for (const int ranks : {2, 3, 4, 5, 8}) {
    const Bytes chunk = 4_KiB;
    const Bytes size = static_cast<std::uint64_t>(ranks) * chunk;
    const double expected = ring_allreduce_time({ranks, chunk}, hop()).count();

    EXPECT_NEAR(number_from_fork([&] { return timed(ranks, size); }) / expected, 1.0, 1e-6)
        << ranks << " ranks";
  }
}

}  // namespace
}  // namespace ringcast
