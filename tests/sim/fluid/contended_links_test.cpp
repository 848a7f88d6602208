#include "sim/fluid/contended_links.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringcast {
namespace {

constexpr BytesPerSecond gigabyte_per_s{1e9};

FlowRoutes contended(const std::vector<BytesPerSecond>& bandwidths,
                     const std::vector<FlowRoute>& routes) {
  return over_contended_links(bandwidths, FlowRoutes{routes});
}

// Two flows into a cable of 1 GB/s need it; one alone has it as its limit.
TEST(ContendedLinks, AreThoseOfSeveralFlows) {
  const FlowRoutes routes =
      contended({gigabyte_per_s, gigabyte_per_s, 3 * gigabyte_per_s},
                {{{{0, 1}, {1, 1}}, {}}, {{{1, 1}}, {}}, {{{2, 2}}, 5 * gigabyte_per_s}});

  EXPECT_THAT(routes.crossings(0), ::testing::ElementsAre(Crossing{1, 1}));
  EXPECT_THAT(routes.crossings(1), ::testing::ElementsAre(Crossing{1, 1}));
  EXPECT_TRUE(routes.crossings(2).empty());
  EXPECT_EQ(routes.limit(2), 1.5 * gigabyte_per_s);
}

// 0.4 + 0.6 GB/s fit into 1 GB/s.
TEST(ContendedLinks, AreNotThoseIntoWhichTheLimitsFit) {
  const FlowRoutes routes = contended(
      {gigabyte_per_s}, {{{{0, 1}}, 0.4 * gigabyte_per_s}, {{{0, 1}}, 0.6 * gigabyte_per_s}});

  EXPECT_TRUE(routes.crossings(0).empty());
  EXPECT_TRUE(routes.crossings(1).empty());
  EXPECT_EQ(routes.limit(1), 0.6 * gigabyte_per_s);
}

// Both flows cross links 0 to 2 once; of link 3 the second takes 5/4 for each byte a second, more
// than of link 1.
TEST(ContendedLinks, AreTheSlowestOfThoseWithTheSameFlows) {
  const FlowRoutes routes =
      contended({3 * gigabyte_per_s, gigabyte_per_s, 2 * gigabyte_per_s, 4 * gigabyte_per_s},
                {{{{0, 1}, {1, 1}, {2, 1}, {3, 1}}, {}}, {{{0, 1}, {1, 1}, {2, 1}, {3, 5}}, {}}});

  EXPECT_THAT(routes.crossings(0), ::testing::ElementsAre(Crossing{1, 1}, Crossing{3, 1}));
  EXPECT_THAT(routes.crossings(1), ::testing::ElementsAre(Crossing{1, 1}, Crossing{3, 5}));
}

// Two flows that may have 1 GB/s each do not fit into 1.5 GB/s, but fill the link of 1 GB/s first.
TEST(ContendedLinks, AreNotThoseThatTheSameFlowsFillLater) {
  const FlowRoutes routes = contended({1.5 * gigabyte_per_s, gigabyte_per_s},
                                      {{{{0, 1}, {1, 1}}, {}}, {{{0, 1}, {1, 1}}, {}}});

  EXPECT_THAT(routes.crossings(0), ::testing::ElementsAre(Crossing{1, 1}));
  EXPECT_THAT(routes.crossings(1), ::testing::ElementsAre(Crossing{1, 1}));
}

// Three flows cross link 0; the two that cross link 1 as well fill it no sooner. Link 2, of half
// the bandwidth, may be full before.
TEST(ContendedLinks, AreNotThoseWhoseFlowsFillAnotherFirst) {
  const FlowRoutes routes =
      contended({gigabyte_per_s, gigabyte_per_s, 0.5 * gigabyte_per_s},
                {{{{0, 1}, {1, 1}}, {}}, {{{0, 1}, {1, 1}, {2, 1}}, {}}, {{{0, 1}, {2, 1}}, {}}});

  EXPECT_THAT(routes.crossings(0), ::testing::ElementsAre(Crossing{0, 1}));
  EXPECT_THAT(routes.crossings(1), ::testing::ElementsAre(Crossing{0, 1}, Crossing{2, 1}));
  EXPECT_THAT(routes.crossings(2), ::testing::ElementsAre(Crossing{0, 1}, Crossing{2, 1}));
}

TEST(ContendedLinks, LeaveAFlowWithoutLinksAlone) {
  const FlowRoutes routes = contended({}, {{{}, {}}});

  EXPECT_TRUE(routes.crossings(0).empty());
  EXPECT_EQ(routes.limit(0), BytesPerSecond{0});
}

}  // namespace
}  // namespace ringcast
