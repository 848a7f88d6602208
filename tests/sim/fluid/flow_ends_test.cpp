// The ends of flows in a heap, against a sorted list of them.
#include "sim/fluid/flow_ends.hpp"

#include <map>
#include <random>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

namespace ringcast {
namespace {

TEST(FlowEnds, ComeInTheOrderOfTheirTimesThenOfTheirSetting) {
  constexpr int flows = 40;
  FlowEnds ends{flows};
  std::set<std::tuple<double, int, int>> expected;  // time, when it was set, flow
  std::map<int, std::tuple<double, int, int>> of_flow;
  std::mt19937 random{7};
  const auto draw = [&](int least, int most) {
    return std::uniform_int_distribution{least, most}(random);
  };
  const auto forget = [&](int flow) {
    const auto known = of_flow.find(flow);
    if (known == of_flow.end()) return;
    expected.erase(known->second);
    of_flow.erase(known);
  };

  for (int i = 0; i < 20'000; ++i) {
    const int flow = draw(0, flows - 1);
    forget(flow);
    if (draw(0, 2) == 0) {
      ends.erase(flow);
    } else {
      const std::tuple end{static_cast<double>(draw(0, 9)), i, flow};  // many at one time
      ends.set(flow, Seconds{std::get<0>(end)});
      of_flow.emplace(flow, end);
      expected.insert(end);
      ASSERT_EQ(ends.time_of(flow).count(), std::get<0>(end));
    }
    ASSERT_EQ(ends.empty(), expected.empty());
    if (expected.empty()) continue;
    ASSERT_EQ(ends.first(), std::get<2>(*expected.begin())) << "step " << i;
    ASSERT_EQ(ends.first_time().count(), std::get<0>(*expected.begin()));
  }
}

}  // namespace
}  // namespace ringcast
