#pragma once

#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "topology/transfers/leg.hpp"

namespace ringcast {

/// Checks, while a simulation runs, that no link carries more than its bandwidth. SimGrid can
/// exceed it when flows join a link (HostRoutes), so the links of each flow are checked once it has
/// its first share.
class CapacityCheck {
 public:
  /// `load`: the sum of the rates of a link's flows. The topology must outlive this.
  CapacityCheck(const Topology& topology, std::function<BytesPerSecond(LinkId)> load);
  /// A flow will join the links of `leg`, which must outlive this, at `at`.
  void flow_joins(const Leg& leg, Seconds at);
  /// The loads were constant from the time of the previous call to `now`.
  void time_advanced(Seconds now);
  /// Throws ContractViolation for the first link that carried more than its bandwidth.
  void expect_kept() const;

 private:
  void check(const Leg& leg);

  const Topology* topology_;
  std::function<BytesPerSecond(LinkId)> load_;
  struct Join {
    Seconds at;
    const Leg* leg;
    friend bool operator>(const Join& a, const Join& b) { return a.at > b.at; }
  };
  std::priority_queue<Join, std::vector<Join>, std::greater<>> joins_;
  Seconds now_{0};
  std::string violation_;
};

}  // namespace ringcast
