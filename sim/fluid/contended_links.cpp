#include "sim/fluid/contended_links.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "topology/cluster/index.hpp"

namespace ringcast {
namespace {

using detail::index;

/// Flows that fit into a link but for this part fit.
constexpr double rounding_of_demand = 1e-13;

void limit_by_links(const std::vector<BytesPerSecond>& bandwidths, std::vector<FlowRoute>& routes) {
  for (FlowRoute& route : routes) {
    for (const Crossing& crossing : route.crossings) {
      const BytesPerSecond alone = 1 / crossing.times * bandwidths[index(crossing.link)];
      route.limit = route.limit > BytesPerSecond{0} ? std::min(route.limit, alone) : alone;
    }
  }
}

template <typename IsDropped>
void drop_crossings(std::vector<FlowRoute>& routes, const IsDropped& is_dropped) {
  for (FlowRoute& route : routes) {
    std::erase_if(route.crossings,
                  [&](const Crossing& crossing) { return is_dropped(index(crossing.link)); });
  }
}

void drop_links_that_fit(const std::vector<BytesPerSecond>& bandwidths,
                         std::vector<FlowRoute>& routes) {
  std::vector<double> demand(bandwidths.size());
  for (const FlowRoute& route : routes) {
    for (const Crossing& crossing : route.crossings) {
      demand[index(crossing.link)] += crossing.times * route.limit.value();
    }
  }
  drop_crossings(routes, [&](std::size_t link) {
    return demand[link] <= bandwidths[link].value() * (1 + rounding_of_demand);
  });
}

void drop_links_behind_slower_ones(const std::vector<BytesPerSecond>& bandwidths,
                                   std::vector<FlowRoute>& routes) {
  std::vector<std::vector<std::pair<std::size_t, double>>> flows(bandwidths.size());
  for (std::size_t flow = 0; flow < routes.size(); ++flow) {
    for (const Crossing& crossing : routes[flow].crossings) {
      flows[index(crossing.link)].emplace_back(flow, crossing.times);
    }
  }
  std::map<std::vector<std::pair<std::size_t, double>>, std::size_t> slowest;
  std::vector<bool> dropped(bandwidths.size());
  for (std::size_t link = 0; link < bandwidths.size(); ++link) {
    const auto [other, is_new] = slowest.emplace(std::move(flows[link]), link);
    if (is_new) continue;
    const bool slower = bandwidths[link] < bandwidths[other->second];
    dropped[slower ? std::exchange(other->second, link) : link] = true;
  }
  drop_crossings(routes, [&](std::size_t link) { return dropped[link]; });
}

}  // namespace

std::vector<FlowRoute> over_contended_links(const std::vector<BytesPerSecond>& bandwidths,
                                            std::vector<FlowRoute> routes) {
  limit_by_links(bandwidths, routes);
  drop_links_that_fit(bandwidths, routes);
  drop_links_behind_slower_ones(bandwidths, routes);
  return routes;
}

}  // namespace ringcast
