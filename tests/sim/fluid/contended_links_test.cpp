#include "sim/fluid/contended_links.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringcast {
namespace {

constexpr BytesPerSecond gigabyte_per_s{1e9};

// Two flows into a cable of 1 GB/s need it; one alone has it as its limit.
TEST(ContendedLinks, AreThoseOfSeveralFlows) {
  const std::vector<FlowRoute> routes = over_contended_links(
      {gigabyte_per_s, gigabyte_per_s, 3 * gigabyte_per_s},
      {{{{0, 1}, {1, 1}}, {}}, {{{1, 1}}, {}}, {{{2, 2}}, 5 * gigabyte_per_s}});

  EXPECT_THAT(routes[0].crossings, ::testing::ElementsAre(Crossing{1, 1}));
  EXPECT_THAT(routes[1].crossings, ::testing::ElementsAre(Crossing{1, 1}));
  EXPECT_TRUE(routes[2].crossings.empty());
  EXPECT_EQ(routes[2].limit, 1.5 * gigabyte_per_s);
}

// 0.4 + 0.6 GB/s fit into 1 GB/s.
TEST(ContendedLinks, AreNotThoseIntoWhichTheLimitsFit) {
  const std::vector<FlowRoute> routes = over_contended_links(
      {gigabyte_per_s}, {{{{0, 1}}, 0.4 * gigabyte_per_s}, {{{0, 1}}, 0.6 * gigabyte_per_s}});

  EXPECT_TRUE(routes[0].crossings.empty());
  EXPECT_TRUE(routes[1].crossings.empty());
  EXPECT_EQ(routes[1].limit, 0.6 * gigabyte_per_s);
}

// Both flows cross links 0 to 2 once; of link 3 the second takes 5/4 for each byte a second, more
// than of link 1.
TEST(ContendedLinks, AreTheSlowestOfThoseWithTheSameFlows) {
  const std::vector<FlowRoute> routes = over_contended_links(
      {3 * gigabyte_per_s, gigabyte_per_s, 2 * gigabyte_per_s, 4 * gigabyte_per_s},
      {{{{0, 1}, {1, 1}, {2, 1}, {3, 1}}, {}}, {{{0, 1}, {1, 1}, {2, 1}, {3, 5}}, {}}});

  EXPECT_THAT(routes[0].crossings, ::testing::ElementsAre(Crossing{1, 1}, Crossing{3, 1}));
  EXPECT_THAT(routes[1].crossings, ::testing::ElementsAre(Crossing{1, 1}, Crossing{3, 5}));
}

// Three flows cross link 0; the two that cross link 1 as well fill it no sooner. Link 2, of half
// the bandwidth, may be full before.
TEST(ContendedLinks, AreNotThoseWhoseFlowsFillAnotherFirst) {
  const std::vector<FlowRoute> routes = over_contended_links(
      {gigabyte_per_s, gigabyte_per_s, 0.5 * gigabyte_per_s},
      {{{{0, 1}, {1, 1}}, {}}, {{{0, 1}, {1, 1}, {2, 1}}, {}}, {{{0, 1}, {2, 1}}, {}}});

  EXPECT_THAT(routes[0].crossings, ::testing::ElementsAre(Crossing{0, 1}));
  EXPECT_THAT(routes[1].crossings, ::testing::ElementsAre(Crossing{0, 1}, Crossing{2, 1}));
  EXPECT_THAT(routes[2].crossings, ::testing::ElementsAre(Crossing{0, 1}, Crossing{2, 1}));
}

TEST(ContendedLinks, LeaveAFlowWithoutLinksAlone) {
  const std::vector<FlowRoute> routes = over_contended_links({}, {{{}, {}}});

  EXPECT_TRUE(routes[0].crossings.empty());
  EXPECT_EQ(routes[0].limit, BytesPerSecond{0});
}

}  // namespace
}  // namespace ringcast
