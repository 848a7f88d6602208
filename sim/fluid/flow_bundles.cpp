#include "sim/fluid/flow_bundles.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// The rate of a flow without links or limits: it takes no time.
constexpr double no_limit = 1e18;

double limit_of_route(const FlowRoute& route) {
  return route.limit > BytesPerSecond{0} ? route.limit.value() : no_limit;
}

}  // namespace

FlowBundles::FlowBundles(const std::vector<FlowRoute>& routes) : flows_(routes.size()) {
  std::vector<std::size_t> sorted(routes.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::ranges::stable_sort(sorted, {}, [&](std::size_t flow) {
    return std::tie(routes[flow].crossings, routes[flow].limit);
  });
  for (const std::size_t flow : sorted) {
    const FlowRoute& route = routes[flow];
    if (routes_.empty() || routes_.back().limit != limit_of_route(route) ||
        routes_.back().crossings != route.crossings) {
      routes_.push_back({route.crossings, limit_of_route(route)});
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
  const double of_route = routes_[flow.route].limit;
  flow.bundle = bundle_over(
      flow.route, limit > BytesPerSecond{0} ? std::min(limit.value(), of_route) : of_route);
  ++bundles_[static_cast<std::size_t>(flow.bundle)].flows;
  return flow.bundle;
}

int FlowBundles::leave(int flow) {
  const int bundle = std::exchange(at(flow).bundle, no_bundle);
  --bundles_[static_cast<std::size_t>(bundle)].flows;
  return bundle;
}

}  // namespace ringcast
