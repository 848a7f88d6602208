#include "sim/fluid/contended_links.hpp"

#include <algorithm>

#include "topology/cluster/index.hpp"

namespace ringcast {
namespace {

using detail::index;

/// Flows that fit into a link but for this part fit.
constexpr double rounding_of_demand = 1e-13;

void limit_by_links(const std::vector<BytesPerSecond>& bandwidths, std::vector<FlowRoute>& routes) {
  for (FlowRoute& route : routes) {
    for (const Crossing& crossing : route.crossings) {
      const BytesPerSecond alone = 1.0 / crossing.times * bandwidths[index(crossing.link)];
      route.limit = route.limit > BytesPerSecond{0} ? std::min(route.limit, alone) : alone;
    }
  }
}

void drop_crossings(std::vector<FlowRoute>& routes, const std::vector<bool>& dropped) {
  for (FlowRoute& route : routes) {
    std::erase_if(route.crossings,
                  [&](const Crossing& crossing) { return dropped[index(crossing.link)]; });
    route.crossings.shrink_to_fit();  // there may be millions
  }
}

/// By link.
std::vector<bool> links_that_fit(const std::vector<BytesPerSecond>& bandwidths,
                                 const std::vector<FlowRoute>& routes) {
  std::vector<double> demand(bandwidths.size());
  for (const FlowRoute& route : routes) {
    for (const Crossing& crossing : route.crossings) {
      demand[index(crossing.link)] += crossing.times * route.limit.value();
    }
  }
  std::vector<bool> fit(bandwidths.size());
  for (std::size_t link = 0; link < fit.size(); ++link) {
    fit[link] = demand[link] <= bandwidths[link].value() * (1 + rounding_of_demand);
  }
  return fit;
}

/// Links that cannot be full before another that does not fit either. The first stays of those that
/// limit the same flows in the same way.
class ImpliedLinks {
 public:
  ImpliedLinks(const std::vector<BytesPerSecond>& bandwidths, const std::vector<FlowRoute>& routes,
               const std::vector<bool>& fit)
      : bandwidths_{&bandwidths}, routes_{&routes}, flows_(bandwidths.size()) {
    for (std::size_t flow = 0; flow < routes.size(); ++flow) {
      for (const Crossing& crossing : routes[flow].crossings) {
        const std::size_t link = index(crossing.link);
        if (!fit[link]) flows_[link].push_back(static_cast<int>(flow));
      }
    }
  }

  [[nodiscard]] bool contains(std::size_t link) const {
    if (flows_[link].empty()) return false;
    return std::ranges::any_of((*routes_)[index(flows_[link].front())].crossings,
                               [&](const Crossing& other) {
                                 const std::size_t by = index(other.link);
                                 return by != link && !flows_[by].empty() && is_implied(link, by);
                               });
  }

 private:
  [[nodiscard]] bool is_implied(std::size_t link, std::size_t by) const {
    bool is_same = flows_[link].size() == flows_[by].size();
    for (const int flow : flows_[link]) {
      const double own = share(flow, link);
      const double other = share(flow, by);
      if (other < own) return false;
      is_same = is_same && other == own;
    }
    return !is_same || by < link;
  }
  /// The part of a link that a flow takes for each byte a second; zero: none.
  [[nodiscard]] double share(int flow, std::size_t link) const {
    for (const Crossing& crossing : (*routes_)[index(flow)].crossings) {
      if (index(crossing.link) == link) return crossing.times / (*bandwidths_)[link].value();
    }
    return 0;
  }

  const std::vector<BytesPerSecond>* bandwidths_;
  const std::vector<FlowRoute>* routes_;
  std::vector<std::vector<int>> flows_;  // of each link that does not fit
};

}  // namespace

std::vector<FlowRoute> over_contended_links(const std::vector<BytesPerSecond>& bandwidths,
                                            std::vector<FlowRoute> routes) {
  limit_by_links(bandwidths, routes);
  std::vector<bool> dropped = links_that_fit(bandwidths, routes);
  const ImpliedLinks implied{bandwidths, routes, dropped};
  for (std::size_t link = 0; link < dropped.size(); ++link) {
    dropped[link] = dropped[link] || implied.contains(link);
  }
  drop_crossings(routes, dropped);
  return routes;
}

}  // namespace ringcast
