// Rates of flows that come and go, by the definition of max-min fairness.
#include "sim/fluid/max_min_shares.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ringcast {
namespace {

double rate_of(int flow, const MaxMinShares& shares) {
  return shares.rate(shares.bundle_of(flow));
}

/// Flows over random links, and what is asked of their rates.
class SharedLinks {
 public:
  SharedLinks(int links, int flows, unsigned seed) : random_{seed} {
    for (int link = 0; link < links; ++link) {
      bandwidths_.emplace_back(draw(1, 4) * 1e9);
    }
    for (int flow = 0; flow < flows; ++flow) {
      std::set<int> crossed;
      for (int count = draw(0, 4); count > 0; --count) {
        crossed.insert(draw(0, links - 1));
      }
      FlowRoute route;
      for (const int link : crossed) {
        route.crossings.push_back({link, draw(1, 3)});
      }
      route.limit = BytesPerSecond{draw(0, 3) * 0.7e9};
      // A third of the flows over the links of another one.
      routes_.push_back(flow % 3 == 2 ? routes_[static_cast<std::size_t>(flow / 3)] : route);
      limits_.push_back(BytesPerSecond{draw(0, 2) * 0.4e9});
    }
  }

  [[nodiscard]] MaxMinShares shares() const { return {bandwidths_, routes_}; }
  [[nodiscard]] BytesPerSecond limit_of(int flow) const {
    return limits_[static_cast<std::size_t>(flow)];
  }

  /// No link carries more than its bandwidth, and each flow is at its limit, or crosses a full link
  /// on which none is faster.
  void expect_max_min(const MaxMinShares& shares) const {
    constexpr double rounding = 1e-9;
    std::vector<double> load(bandwidths_.size());
    std::vector<double> fastest(bandwidths_.size());
    for_each_crossing(shares, [&](int flow, const Crossing& crossing) {
      const auto link = static_cast<std::size_t>(crossing.link);
      load[link] += crossing.times * rate_of(flow, shares);
      fastest[link] = std::max(fastest[link], rate_of(flow, shares));
    });
    std::vector<bool> has_bottleneck(routes_.size());
    for_each_crossing(shares, [&](int flow, const Crossing& crossing) {
      const auto link = static_cast<std::size_t>(crossing.link);
      const double bandwidth = bandwidths_[link].value();
      EXPECT_LE(load[link], bandwidth * (1 + rounding)) << "link " << link;
      if (load[link] >= bandwidth * (1 - rounding) &&
          rate_of(flow, shares) >= fastest[link] * (1 - rounding)) {
        has_bottleneck[static_cast<std::size_t>(flow)] = true;
      }
    });
    for (int flow = 0; flow < static_cast<int>(routes_.size()); ++flow) {
      const auto index = static_cast<std::size_t>(flow);
      for (const BytesPerSecond limit : {routes_[index].limit, limits_[index]}) {
        if (limit > BytesPerSecond{0} && shares.is_active(flow)) {
          EXPECT_LE(rate_of(flow, shares), limit.value() * (1 + rounding)) << "flow " << flow;
          has_bottleneck[index] =
              has_bottleneck[index] || rate_of(flow, shares) >= limit.value() * (1 - rounding);
        }
      }
      const bool unlimited = routes_[index].crossings.empty() &&
                             routes_[index].limit == BytesPerSecond{0} &&
                             limits_[index] == BytesPerSecond{0};
      EXPECT_TRUE(!shares.is_active(flow) || unlimited || has_bottleneck[index]) << "flow " << flow;
    }
  }
  int draw(int from, int to) { return std::uniform_int_distribution<int>{from, to}(random_); }

 private:
  template <typename Visit>
  void for_each_crossing(const MaxMinShares& shares, const Visit& visit) const {
    for (int flow = 0; flow < static_cast<int>(routes_.size()); ++flow) {
      for (const Crossing& crossing : routes_[static_cast<std::size_t>(flow)].crossings) {
        if (shares.is_active(flow)) visit(flow, crossing);
      }
    }
  }

  std::mt19937 random_;
  std::vector<BytesPerSecond> bandwidths_;
  std::vector<FlowRoute> routes_;
  std::vector<BytesPerSecond> limits_;
};

// From sparse, where a change concerns a few flows, to dense, where it concerns all of them.
TEST(MaxMinShares, GiveEachFlowABottleneckWhileFlowsComeAndGo) {
  for (const int links : {1, 2, 20, 100, 400}) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(fmt::format("{} links, seed {}", links, seed));
      constexpr int flows = 100;
      SharedLinks network{links, flows, seed};
      MaxMinShares shares = network.shares();
      for (int change = 0; change < 120; ++change) {
        for (int together = network.draw(1, 3); together > 0; --together) {
          const int flow = network.draw(0, flows - 1);
          if (shares.is_active(flow)) {
            shares.remove(flow);
          } else {
            shares.add(flow, network.limit_of(flow));
          }
        }
        static_cast<void>(shares.share());
        network.expect_max_min(shares);
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

// Links of 1, 2, 4 ... in a row; flow i crosses links i and i + 1. With all of them the first has 1
// of its link, alone on it but for none: 1, then 2 - 1 = 1, 4 - 1 = 3, 8 - 3 = 5 and so on. Without
// the first, all others change, each because of the one before.
TEST(MaxMinShares, FollowAChangeThroughALongRowOfLinks) {
  constexpr int flows = 30;
  std::vector<BytesPerSecond> bandwidths;
  std::vector<FlowRoute> routes;
  for (int i = 0; i < flows; ++i) {
    bandwidths.emplace_back(std::ldexp(1e6, i));
    routes.push_back({{{i, 1}, {i + 1, 1}}, BytesPerSecond{0}});
  }
  routes.back().crossings.pop_back();
  MaxMinShares shares{bandwidths, routes};
  for (int i = 0; i < flows; ++i) {
    shares.add(i, BytesPerSecond{0});
  }
  static_cast<void>(shares.share());
  const auto expect_rates = [&](int first) {
    double before = 0;
    for (int i = first; i < flows; ++i) {
      const double expected = std::ldexp(1e6, i) - before;
      EXPECT_NEAR(rate_of(i, shares) / expected, 1, 1e-12) << "flow " << i;
      before = expected;
    }
  };
  expect_rates(0);

  shares.remove(0);
  const std::vector<int> changed = shares.share();

  expect_rates(1);
  EXPECT_EQ(changed.size(), static_cast<std::size_t>(flows - 1));
}

// Over one link of 4 GB/s, with a limit of 1 GB/s each, then half of the link.
TEST(MaxMinShares, AreTheSameForFlowsOverTheSameLinks) {
  const FlowRoute route{{{0, 1}}, BytesPerSecond{0}};
  MaxMinShares shares{{BytesPerSecond{4e9}}, {route, route}};
  const int limited = shares.add(0, BytesPerSecond{1e9});
  EXPECT_EQ(shares.share(), std::vector<int>{limited});

  EXPECT_EQ(shares.add(1, BytesPerSecond{1e9}), limited);
  EXPECT_TRUE(shares.share().empty());
  EXPECT_EQ(shares.rate(limited), 1e9);

  EXPECT_EQ(shares.remove(0), limited);
  EXPECT_EQ(shares.remove(1), limited);
  const int unlimited = shares.add(1, BytesPerSecond{0});
  EXPECT_NE(unlimited, limited);
  EXPECT_EQ(shares.add(0, BytesPerSecond{0}), unlimited);
  EXPECT_EQ(shares.share(), std::vector<int>{unlimited});
  EXPECT_EQ(shares.rate(unlimited), 2e9);
}

TEST(MaxMinShares, ChangeNothingWhereNoLinkIsShared) {
  const std::vector<FlowRoute> routes = {{{{0, 1}}, BytesPerSecond{0}},
                                         {{{1, 2}}, BytesPerSecond{0}}};
  MaxMinShares shares{{BytesPerSecond{3e9}, BytesPerSecond{4e9}}, routes};
  const int first = shares.add(0, BytesPerSecond{0});
  const int second = shares.add(1, BytesPerSecond{1e9});

  EXPECT_TRUE(shares.share().empty());

  EXPECT_EQ(shares.rate(first), 3e9);
  EXPECT_EQ(shares.rate(second), 1e9);
}

}  // namespace
}  // namespace ringcast
