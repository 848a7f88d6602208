#include "sim/model/link_load.hpp"

#include <gtest/gtest.h>

#include "tests/sim/machines.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

/// Three GPUs, each on its own cable to one switch.
class LinkLoad : public ::testing::Test {
 protected:
  /// Whether streams share links: these numbers of tags from rank to rank.
  struct Tags {
    int from;
    int to;
    int streams;
  };
  [[nodiscard]] bool share(const std::vector<Tags>& tags) const {
    SimReport report;
    for (const auto& [from, to, streams] : tags)
      report.traffic.push_back({Rank{from}, Rank{to}, 1, 100_B, 200_B, streams});
    return streams_share_links(report, paths_);
  }

  Topology topology_{testing::star(3, 10_GBps, 1_us)};
  TransportProfile profile_ = testing::free_of_cost();
  TransferPaths paths_{topology_, profile_, places_of_ranks(topology_, 3, profile_)};
};

TEST_F(LinkLoad, IsThatOfTheBytesOnTheCables) {
  SimReport report;
  report.traffic = {{Rank{0}, Rank{1}, 1, 100_B, 200_B, 1}, {Rank{2}, Rank{1}, 1, 10_B, 20_B, 1}};

  std::vector<Bytes> carried = carried_by_link(report, paths_);
  std::ranges::sort(carried);

  // Out of 2, out of 0, into 1; the cables have a link each way.
  EXPECT_EQ(carried, (std::vector{0_B, 0_B, 0_B, 20_B, 200_B, 220_B}));
}

TEST_F(LinkLoad, IsSharedByStreamsWithACommonCable) {
  EXPECT_FALSE(share({{0, 1, 1}, {1, 2, 1}, {2, 0, 1}}));
  EXPECT_TRUE(share({{0, 1, 1}, {2, 1, 1}}));
  EXPECT_TRUE(share({{0, 1, 2}}));
  EXPECT_FALSE(share({{0, 1, 1}, {2, 1, 0}}));
}

TEST_F(LinkLoad, OfASenderIsTheSumOverItsPairs) {
  const std::vector<PairTraffic> traffic{{Rank{0}, Rank{1}, 1, 5_B, 5_B, 1},
                                         {Rank{0}, Rank{2}, 1, 6_B, 6_B, 1},
                                         {Rank{1}, Rank{0}, 1, 10_B, 10_B, 1}};
  EXPECT_EQ(most_sent(traffic), 11_B);
}

}  // namespace
}  // namespace ringcast
