// When flows end that start and stop while others are on the way.
#include "sim/fluid/fluid_flows.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

constexpr Seconds start{0};
constexpr BytesPerSecond no_limit{0};

/// Three flows over one link of 1 GB/s.
FluidFlows flows_over_one_link() {
  const FlowRoute route{{{0, 1}}, BytesPerSecond{0}};
  return {{BytesPerSecond{1e9}}, {route, route, route}};
}

// 1 and 3 MB share the link: the first ends after 2 ms, having had half of it; the other has 2 MB
// left, and the whole link.
TEST(FluidFlows, EndByWhatTheyHaveLeft) {
  FluidFlows flows = flows_over_one_link();
  flows.start(0, Bytes{3'000'000}, no_limit, start);
  flows.start(1, Bytes{1'000'000}, no_limit, start);
  flows.share(start);
  EXPECT_DOUBLE_EQ(flows.end(0).count(), 6e-3);
  EXPECT_DOUBLE_EQ(flows.next_end().count(), 2e-3);

  EXPECT_EQ(flows.pop_ended(Seconds{1e-3}), -1);
  EXPECT_EQ(flows.pop_ended(Seconds{2e-3}), 1);
  EXPECT_FALSE(flows.is_active(1));
  flows.share(Seconds{2e-3});

  EXPECT_DOUBLE_EQ(flows.next_end().count(), 4e-3);
  EXPECT_EQ(flows.pop_ended(Seconds{4e-3}), 0);
  EXPECT_EQ(flows.next_end().count(), std::numeric_limits<double>::infinity());
}

// The second starts after 1 ms, when 2 of the first's 3 MB are left, and is withdrawn 2 ms later:
// each has had 1 MB more. The last MB has the link to itself until 4 ms.
TEST(FluidFlows, GoOnWhereAnotherStartsAndStops) {
  FluidFlows flows = flows_over_one_link();
  flows.start(0, Bytes{3'000'000}, no_limit, start);
  flows.share(start);
  flows.start(1, Bytes{5'000'000}, no_limit, Seconds{1e-3});
  flows.share(Seconds{1e-3});
  EXPECT_DOUBLE_EQ(flows.end(0).count(), 5e-3);

  flows.stop(1);
  flows.stop(2);  // never started
  flows.share(Seconds{3e-3});

  EXPECT_DOUBLE_EQ(flows.next_end().count(), 4e-3);
  EXPECT_EQ(flows.pop_ended(Seconds{4e-3}), 0);
}

// A limit makes it a bundle of its own: 0.25 GB/s, and the others share the rest, 0.375 GB/s each.
TEST(FluidFlows, OfOneLimitDoNotWaitForOthers) {
  FluidFlows flows = flows_over_one_link();
  flows.start(0, Bytes{1'000'000}, BytesPerSecond{0.25e9}, start);
  flows.start(1, Bytes{1'500'000}, no_limit, start);
  flows.start(2, Bytes{1'500'000}, no_limit, start);
  flows.share(start);

  for (const int flow : {0, 1, 2}) {
    EXPECT_DOUBLE_EQ(flows.end(flow).count(), 4e-3);
    EXPECT_GE(flows.pop_ended(Seconds{4e-3 * (1 + 1e-15)}), 0);
  }
}

// Both have 0.25 GB/s, whether the other is there or not: 1 MB takes 4 ms, 2 MB take 8 ms.
TEST(FluidFlows, OfOneLimitEndAsBeforeWhereTheFirstStops) {
  FluidFlows flows = flows_over_one_link();
  flows.start(0, Bytes{1'000'000}, BytesPerSecond{0.25e9}, start);
  flows.start(1, Bytes{2'000'000}, BytesPerSecond{0.25e9}, start);
  flows.share(start);
  EXPECT_DOUBLE_EQ(flows.next_end().count(), 4e-3);

  flows.stop(0);
  flows.share(Seconds{1e-3});

  EXPECT_DOUBLE_EQ(flows.next_end().count(), 8e-3);
}

// The first stops before anything has moved: the others share the link until 2 MB have arrived.
TEST(FluidFlows, EndInTheOrderOfTheirBytesAfterAnotherHasStopped) {
  FluidFlows flows = flows_over_one_link();
  flows.start(0, Bytes{1'000'000}, no_limit, start);
  flows.start(1, Bytes{5'000'000}, no_limit, start);
  flows.start(2, Bytes{2'000'000}, no_limit, start);
  flows.stop(0);
  flows.share(start);

  EXPECT_DOUBLE_EQ(flows.next_end().count(), 4e-3);
  EXPECT_EQ(flows.pop_ended(Seconds{4e-3}), 2);
}

TEST(FluidFlows, StartOnceAtATime) {
  FluidFlows flows = flows_over_one_link();
  flows.start(0, Bytes{1}, no_limit, start);

  EXPECT_THROW(flows.start(0, Bytes{1}, no_limit, start), ContractViolation);
}

// The same flow again, twice at one time: what its bundle has moved before does not count.
TEST(FluidFlows, BeginAnewWhenTheyStartAgain) {
  FluidFlows flows = flows_over_one_link();
  for (const double begin : {0.0, 7e-3}) {
    flows.start(0, Bytes{9'000'000}, no_limit, Seconds{begin});
    flows.stop(0);
    flows.start(0, Bytes{1'000'000}, no_limit, Seconds{begin});
    flows.share(Seconds{begin});
    EXPECT_DOUBLE_EQ(flows.next_end().count(), begin + 1e-3);
    EXPECT_EQ(flows.pop_ended(flows.next_end()), 0);
    flows.share(Seconds{begin + 1e-3});
  }
}

}  // namespace
}  // namespace ringcast
