#pragma once

#include <vector>

#include "sim/fluid/flow_ends.hpp"
#include "sim/fluid/max_min_shares.hpp"

namespace ringcast {

/// Flows that share links max-min fairly, as a fluid. Flows are numbered; each may be active once
/// at a time.
class FluidFlows {
 public:
  FluidFlows(const std::vector<BytesPerSecond>& bandwidths, std::vector<FlowRoute> routes);

  /// `limit`: beside that of the route; zero: none.
  void start(int flow, Bytes bytes, BytesPerSecond limit, Seconds now);
  void stop(int flow);
  /// Distributes the bandwidths after starts and stops.
  void share(Seconds now);
  /// When the next flow ends; infinite if none is active. After share().
  [[nodiscard]] Seconds next_end() const;
  /// Stops and returns a flow that ends by `now`, or -1.
  [[nodiscard]] int pop_ended(Seconds now);

  [[nodiscard]] bool is_active(int flow) const { return shares_.is_active(flow); }
  [[nodiscard]] Seconds end(int flow) const { return ends_.time_of(flow); }
  [[nodiscard]] std::size_t size() const { return flows_.size(); }

 private:
  struct Flow {
    double remaining = 0;  // bytes, at `since`
    double rate = 0;
    Seconds since{0};
  };

  [[nodiscard]] Flow& at(int flow) { return flows_[static_cast<std::size_t>(flow)]; }
  void remove(int flow);
  void set_rate(int flow, double rate, Seconds now);

  MaxMinShares shares_;
  std::vector<Flow> flows_;
  FlowEnds ends_;
};

}  // namespace ringcast
