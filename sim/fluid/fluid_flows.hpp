#pragma once

#include <cstdint>
#include <vector>

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
  [[nodiscard]] Seconds next_end();
  /// Stops and returns a flow that ends by `now`, or -1.
  [[nodiscard]] int pop_ended(Seconds now);

  [[nodiscard]] bool is_active(int flow) const { return shares_.is_active(flow); }
  [[nodiscard]] Seconds end(int flow) const { return at(flow).end; }
  [[nodiscard]] std::size_t size() const { return flows_.size(); }

 private:
  struct Flow {
    double remaining = 0;  // bytes, at `since`
    double rate = 0;
    Seconds since{0};
    Seconds end{0};
    std::uint64_t stamp = 0;  // of its entry among the ends
  };
  struct End {
    Seconds time;
    std::uint64_t stamp;
    int flow;
    friend bool operator>(const End& a, const End& b) {
      return a.time != b.time ? a.time > b.time : a.stamp > b.stamp;
    }
  };

  [[nodiscard]] const Flow& at(int flow) const { return flows_[static_cast<std::size_t>(flow)]; }
  [[nodiscard]] Flow& at(int flow) { return flows_[static_cast<std::size_t>(flow)]; }
  void remove(int flow);
  [[nodiscard]] bool is_valid(const End& end) const { return at(end.flow).stamp == end.stamp; }
  void drop_first_end();
  void push_end(const End& end);
  void set_rate(int flow, double rate, Seconds now);

  MaxMinShares shares_;
  std::vector<Flow> flows_;
  std::uint64_t stamps_ = 0;
  std::vector<End> ends_;  // a heap, the first in front; some are no longer valid
};

}  // namespace ringcast
