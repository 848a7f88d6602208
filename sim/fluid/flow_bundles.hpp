#pragma once

#include <cstddef>
#include <vector>

#include "sim/fluid/contended_links.hpp"

namespace ringcast {

/// The active flows, grouped into bundles. The flows of a bundle cross the same links equally often
/// and have the same limit, hence the same max-min fair rate. The channels of a node form few
/// bundles.
class FlowBundles {
 public:
  explicit FlowBundles(const FlowRoutes& routes);

  /// Activates an inactive flow and returns its bundle. `limit`: in addition to that of the route;
  /// zero: none.
  int join(int flow, BytesPerSecond limit);
  /// Deactivates an active flow and returns the bundle that it was in.
  int leave(int flow);

  [[nodiscard]] std::size_t flow_count() const { return flows_.size(); }
  [[nodiscard]] std::size_t count() const { return bundles_.size(); }
  [[nodiscard]] bool is_active(int flow) const { return at(flow).bundle >= 0; }
  /// The flow must be active.
  [[nodiscard]] int bundle_of(int flow) const { return at(flow).bundle; }
  /// The number of its active flows.
  [[nodiscard]] int flows(int bundle) const { return in(bundle).flows; }
  [[nodiscard]] const std::vector<Crossing>& crossings(int bundle) const {
    return routes_[in(bundle).route].crossings;
  }
  /// In bytes/s; very large: none.
  [[nodiscard]] double limit(int bundle) const { return in(bundle).limit; }

 private:
  static constexpr int no_bundle = -1;

  struct Flow {
    std::size_t route;
    int bundle = no_bundle;
  };
  struct Route {
    std::vector<Crossing> crossings;
    double limit;
    std::vector<int> bundles = {};  // one for each limit so far
  };
  struct Bundle {
    std::size_t route;
    double limit;
    int flows = 0;
  };

  [[nodiscard]] const Flow& at(int flow) const { return flows_[static_cast<std::size_t>(flow)]; }
  [[nodiscard]] Flow& at(int flow) { return flows_[static_cast<std::size_t>(flow)]; }
  [[nodiscard]] const Bundle& in(int bundle) const {
    return bundles_[static_cast<std::size_t>(bundle)];
  }
  [[nodiscard]] int bundle_over(std::size_t route, double limit);

  std::vector<Flow> flows_;
  std::vector<Route> routes_;
  std::vector<Bundle> bundles_;
};

}  // namespace ringcast
