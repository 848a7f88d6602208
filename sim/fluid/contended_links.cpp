#include "sim/fluid/contended_links.hpp"

#include <algorithm>
#include <iterator>

#include "topology/cluster/index.hpp"

namespace ringcast {
namespace {

using detail::index;

/// Flows that exceed a link's bandwidth by no more than this part of it fit.
constexpr double rounding_of_demand = 1e-13;

void limit_by_links(const std::vector<BytesPerSecond>& bandwidths, FlowRoutes& routes) {
  for (std::size_t flow = 0; flow < routes.size(); ++flow) {
    for (const Crossing& crossing : routes.crossings(flow)) {
      routes.lower_limit(flow, 1.0 / crossing.times * bandwidths[index(crossing.link)]);
    }
  }
}

/// By link.
std::vector<bool> links_that_fit(const std::vector<BytesPerSecond>& bandwidths,
                                 const FlowRoutes& routes) {
  std::vector<double> demand(bandwidths.size());
  for (std::size_t flow = 0; flow < routes.size(); ++flow) {
    for (const Crossing& crossing : routes.crossings(flow)) {
      demand[index(crossing.link)] += crossing.times * routes.limit(flow).value();
    }
  }
  std::vector<bool> fit(bandwidths.size());
  for (std::size_t link = 0; link < fit.size(); ++link) {
    fit[link] = demand[link] <= bandwidths[link].value() * (1 + rounding_of_demand);
  }
  return fit;
}

/// Links that are never full before another one that its flows do not fit into. If links limit the
/// same flows equally, all but the first are implied.
class ImpliedLinks {
 public:
  ImpliedLinks(const std::vector<BytesPerSecond>& bandwidths, const FlowRoutes& routes,
               const std::vector<bool>& fit)
      : bandwidths_{&bandwidths}, routes_{&routes}, flows_(bandwidths.size()) {
    for (std::size_t flow = 0; flow < routes.size(); ++flow) {
      for (const Crossing& crossing : routes.crossings(flow)) {
        const std::size_t link = index(crossing.link);
        if (!fit[link]) flows_[link].push_back(static_cast<int>(flow));
      }
    }
  }

  [[nodiscard]] bool contains(std::size_t link) const {
    if (flows_[link].empty()) return false;
    // All flows of the link cross the other one, so its first flow does.
    return std::ranges::any_of(routes_->crossings(index(flows_[link].front())),
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
  /// The part of a link's bandwidth that a flow takes per byte/s of its rate; zero if it does not
  /// cross the link.
  [[nodiscard]] double share(int flow, std::size_t link) const {
    for (const Crossing& crossing : routes_->crossings(index(flow))) {
      if (index(crossing.link) == link) return crossing.times / (*bandwidths_)[link].value();
    }
    return 0;
  }

  const std::vector<BytesPerSecond>* bandwidths_;
  const FlowRoutes* routes_;
  std::vector<std::vector<int>> flows_;  // of each link that does not fit
};

}  // namespace

FlowRoutes::FlowRoutes(const std::vector<FlowRoute>& routes) {
  for (const FlowRoute& route : routes) {
    crossings_.insert(crossings_.end(), route.crossings.begin(), route.crossings.end());
    end(route.limit);
  }
}

void FlowRoutes::reserve(std::size_t flows, std::size_t crossings) {
  crossings_.reserve(crossings);
  ends_.reserve(flows + 1);
  limits_.reserve(flows);
}

void FlowRoutes::cross(int link) {
  const auto known =
      std::ranges::find(std::next(crossings_.begin(), static_cast<std::ptrdiff_t>(ends_.back())),
                        crossings_.end(), link, &Crossing::link);
  if (known != crossings_.end()) {
    known->times += 1;
  } else {
    crossings_.push_back({link, 1});
  }
}

void FlowRoutes::end(BytesPerSecond limit) {
  ends_.push_back(crossings_.size());
  limits_.push_back(limit);
}

void FlowRoutes::lower_limit(std::size_t flow, BytesPerSecond limit) {
  BytesPerSecond& own = limits_[flow];
  own = narrower(own, limit);
}

void FlowRoutes::drop(const std::vector<bool>& links) {
  std::size_t kept = 0;
  std::size_t at = 0;
  for (std::size_t flow = 0; flow < size(); ++flow) {
    for (; at < ends_[flow + 1]; ++at) {
      if (!links[index(crossings_[at].link)]) crossings_[kept++] = crossings_[at];
    }
    ends_[flow + 1] = kept;
  }
  crossings_.resize(kept);
  crossings_.shrink_to_fit();
}

FlowRoutes over_contended_links(const std::vector<BytesPerSecond>& bandwidths, FlowRoutes routes) {
  limit_by_links(bandwidths, routes);
  std::vector<bool> dropped = links_that_fit(bandwidths, routes);
  const ImpliedLinks implied{bandwidths, routes, dropped};
  for (std::size_t link = 0; link < dropped.size(); ++link) {
    dropped[link] = dropped[link] || implied.contains(link);
  }
  routes.drop(dropped);
  return routes;
}

}  // namespace ringcast
