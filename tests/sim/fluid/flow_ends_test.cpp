// The ends of bundles in a heap, against a sorted list of them.
#include "sim/fluid/flow_ends.hpp"

#include <map>
#include <random>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

namespace ringcast {
namespace {

TEST(FlowEnds, ComeInTheOrderOfTheirTimesThenOfTheirSetting) {
  constexpr int bundles = 40;
  FlowEnds ends;
  std::set<std::tuple<double, int, int>> expected;  // time, when it was set, bundle
  std::map<int, std::tuple<double, int, int>> of_bundle;
  std::mt19937 random{7};
  const auto draw = [&](int least, int most) {
    return std::uniform_int_distribution{least, most}(random);
  };
  const auto forget = [&](int bundle) {
    const auto known = of_bundle.find(bundle);
    if (known == of_bundle.end()) return;
    expected.erase(known->second);
    of_bundle.erase(known);
  };

  for (int i = 0; i < 20'000; ++i) {
    const int bundle = draw(0, bundles - 1);
    forget(bundle);
    if (draw(0, 2) == 0) {
      ends.erase(bundle);
    } else {
      const std::tuple end{static_cast<double>(draw(0, 9)), i, bundle};  // many at one time
      ends.set(bundle, Seconds{std::get<0>(end)});
      of_bundle.emplace(bundle, end);
      expected.insert(end);
    }
    ASSERT_EQ(ends.empty(), expected.empty());
    if (expected.empty()) continue;
    ASSERT_EQ(ends.first(), std::get<2>(*expected.begin())) << "step " << i;
    ASSERT_EQ(ends.first_time().count(), std::get<0>(*expected.begin()));
  }
}

}  // namespace
}  // namespace ringcast
