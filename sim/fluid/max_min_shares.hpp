#pragma once

#include <cstdint>
#include <vector>

#include "sim/fluid/flow_bundles.hpp"

namespace ringcast {

/// The max-min fair rates of flows that share links: each flow has a bottleneck, which is its limit
/// or a full link on which no other flow is faster. This allocation is unique (Bertsekas and
/// Gallager 1992, "Data Networks", 6.5.2). Rates are computed by bundle (FlowBundles).
class MaxMinShares {
 public:
  MaxMinShares(const std::vector<BytesPerSecond>& bandwidths, const std::vector<FlowRoute>& routes);

  /// Activates an inactive flow and returns its bundle. If the bundle crosses no contended link,
  /// its rate is valid at once. `limit`: in addition to that of the route; zero: none.
  int add(int flow, BytesPerSecond limit);
  /// Deactivates an active flow and returns the bundle that it was in.
  int remove(int flow);
  /// Distributes the bandwidths after additions and removals. Returns the bundles whose rates have
  /// changed; valid until the next call.
  const std::vector<int>& share();

  [[nodiscard]] std::size_t size() const { return bundles_.flow_count(); }
  [[nodiscard]] bool is_active(int flow) const { return bundles_.is_active(flow); }
  /// The flow must be active.
  [[nodiscard]] int bundle_of(int flow) const { return bundles_.bundle_of(flow); }
  /// The rate of each of its flows in bytes/s, after share().
  [[nodiscard]] double rate(int bundle) const { return at(bundle).rate; }

 private:
  static constexpr int no_link = -1;

  /// The state of a bundle.
  struct Share {
    double rate = 0;
    double new_rate = 0;         // while sharing
    int bottleneck = no_link;    // no link: the limit
    std::uint64_t share_of = 0;  // the last share() that computed its rate
    bool fixed = false;
  };
  struct Use {
    int bundle;
    int times;  // by each flow
  };
  struct Link {
    double bandwidth = 0;
    std::vector<Use> uses;  // by bundles with active flows
    std::uint64_t seen = 0;
    // While sharing:
    double left = 0;    // of the bandwidth
    double shares = 0;  // of bundles whose rate is not fixed yet
    bool all_in_set = true;
  };
  /// A link or a bundle's limit, with the rate at which it stops the growth of flows.
  struct Stop {
    double level;
    int index;
    friend bool operator>(const Stop& a, const Stop& b) { return a.level > b.level; }
  };

  [[nodiscard]] const Share& at(int bundle) const {
    return shares_[static_cast<std::size_t>(bundle)];
  }
  [[nodiscard]] Share& at(int bundle) { return shares_[static_cast<std::size_t>(bundle)]; }
  [[nodiscard]] Link& link(int index) { return links_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] bool in_working_set(int bundle) const { return at(bundle).share_of == calls_; }
  /// The shares that a bundle takes of a link.
  [[nodiscard]] double weight(const Use& use) const {
    return static_cast<double>(use.times) * bundles_.flows(use.bundle);
  }
  void add_to_working_set(int bundle);
  void add_all_connected();
  void visit(int link);
  void fill();
  [[nodiscard]] double next_level();
  void stop_flows_at(double level);
  void stop_flows(int bundle, int bottleneck);
  [[nodiscard]] bool add_those_without_bottleneck();
  void find_those_without_bottleneck(int link);
  void keep_rates();

  FlowBundles bundles_;
  std::vector<Share> shares_;  // by bundle
  std::vector<Link> links_;
  std::vector<int> changed_links_;
  std::uint64_t calls_ = 0;  // of share()
  std::uint64_t visits_ = 0;
  std::vector<int> working_set_;  // bundles whose rates are computed
  std::vector<int> visited_;      // their links
  std::vector<int> joining_;
  std::vector<int> stopping_;
  std::vector<Stop> link_stops_;  // heaps, the least first
  std::vector<Stop> limits_;
  std::vector<int> changed_;
  int wide_ = 0;  // the number of next calls that compute all connected bundles at once
};

}  // namespace ringcast
