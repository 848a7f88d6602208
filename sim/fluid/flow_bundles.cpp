#include "sim/fluid/flow_bundles.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/numbers/error.hpp"

namespace ringcast {

FlowBundles::FlowBundles(const FlowRoutes& routes) : flows_(routes.size()) {
  std::vector<std::size_t> sorted(routes.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::ranges::stable_sort(sorted, [&](std::size_t a, std::size_t b) {
    const auto over_a = routes.crossings(a);
    const auto over_b = routes.crossings(b);
    const auto order = std::lexicographical_compare_three_way(over_a.begin(), over_a.end(),
                                                              over_b.begin(), over_b.end());
    return order == 0 ? routes.limit(a) < routes.limit(b) : order < 0;
  });
  for (const std::size_t flow : sorted) {
    const auto crossings = routes.crossings(flow);
    const double limit = narrower(routes.limit(flow), unlimited_rate).value();
    if (routes_.empty() || routes_.back().limit != limit ||
        !std::ranges::equal(routes_.back().crossings, crossings)) {
      routes_.push_back({{crossings.begin(), crossings.end()}, limit});
    }
    flows_[flow].route = routes_.size() - 1;
  }
}

int FlowBundles::bundle_over(std::size_t route, double limit) {
  std::vector<int>& known = routes_[route].bundles;
  const auto found = std::ranges::find(known, limit, [&](int bundle) { return in(bundle).limit; });
  if (found != known.end()) return *found;
  known.push_back(static_cast<int>(bundles_.size()));
  bundles_.push_back({route, limit});
  return known.back();
}

int FlowBundles::join(int index, BytesPerSecond limit) {
  Flow& flow = at(index);
  expect(flow.bundle == no_bundle, "flow {} starts twice", index);
  const BytesPerSecond of_route{routes_[flow.route].limit};
  flow.bundle = bundle_over(flow.route, narrower(limit, of_route).value());
  ++bundles_[static_cast<std::size_t>(flow.bundle)].flows;
  return flow.bundle;
}

int FlowBundles::leave(int flow) {
  const int bundle = std::exchange(at(flow).bundle, no_bundle);
  --bundles_[static_cast<std::size_t>(bundle)].flows;
  return bundle;
}

}  // namespace ringcast
