#include "app/config/yaml/nearest_name.hpp"

#include <array>

#include <gtest/gtest.h>

namespace ringcast {
namespace {

constexpr std::array<std::string_view, 3> names{"bandwidth", "latency", "at"};

TEST(NearestName, ForgivesALetterLostAddedChangedOrSwapped) {
  for (const char* const slip : {"bandwith", "bandwiidth", "bandwidht", "bamdwidth"}) {
    EXPECT_EQ(suggestion(slip, names), ", did you mean \"bandwidth\"?") << slip;
  }
}

TEST(NearestName, TakesTheNearestOfSeveral) {
  EXPECT_EQ(suggestion("latncy", names), ", did you mean \"latency\"?");
  EXPECT_EQ(suggestion("a", names), ", did you mean \"at\"?");
}

TEST(NearestName, SaysNothingWhereNoneIsNear) {
  EXPECT_EQ(suggestion("colour", names), "");
  EXPECT_EQ(suggestion("", names), "");
  EXPECT_EQ(suggestion(std::string(100'000, 'b'), names), "");
}

TEST(NearestName, ListsWithALastWord) {
  EXPECT_EQ(listed(names, "or"), "bandwidth, latency or at");
  EXPECT_EQ(listed(std::span{names}.first(1), "or"), "bandwidth");
  EXPECT_EQ(listed({}, "or"), "none");
}

}  // namespace
}  // namespace ringcast
