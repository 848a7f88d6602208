#pragma once

#include <vector>

#include "sim/fluid/flow_ends.hpp"
#include "sim/fluid/max_min_shares.hpp"

namespace ringcast {

/// Flows that share links max-min fairly, as a fluid. Flows are numbered; each may be active once
/// at a time.
///
/// The flows of a bundle have the same rate at any time. So which of them ends first does not
/// depend on it, and a new rate moves one end for all of them.
class FluidFlows {
 public:
  FluidFlows(const std::vector<BytesPerSecond>& bandwidths, const std::vector<FlowRoute>& routes);

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
  /// When an active flow ends, after share().
  [[nodiscard]] Seconds end(int flow) const;
  [[nodiscard]] std::size_t size() const { return last_bytes_.size(); }

 private:
  /// A flow ends when its bundle has moved so many bytes of each flow.
  struct Last {
    double bytes;
    int flow;
    friend auto operator<=>(const Last&, const Last&) = default;
  };
  struct Bundle {
    double moved = 0;  // bytes of each flow at `since`, from when none was active
    double rate = 0;
    Seconds since{0};
    std::vector<Last> lasts = {};  // a heap, the least first
    [[nodiscard]] Seconds time_of(double bytes) const;
    void advance(Seconds now);
  };

  [[nodiscard]] const Bundle& at(int bundle) const {
    return bundles_[static_cast<std::size_t>(bundle)];
  }
  [[nodiscard]] Bundle& at(int bundle) { return bundles_[static_cast<std::size_t>(bundle)]; }
  void take_rate(int bundle, Seconds now);
  void set_end(int bundle);

  MaxMinShares shares_;
  std::vector<double> last_bytes_;  // by flow
  std::vector<Bundle> bundles_;
  std::vector<int> joined_;  // bundles with a new flow
  FlowEnds ends_;            // of each bundle's next flow
};

}  // namespace ringcast
