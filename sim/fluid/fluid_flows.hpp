#pragma once

#include <vector>

#include "sim/fluid/flow_ends.hpp"
#include "sim/fluid/max_min_shares.hpp"

namespace ringcast {

/// Flows of bytes that share links max-min fairly. Flows are numbered; each may be active once at a
/// time.
///
/// The flows of a bundle always have the same rate, so the sequence in which they end does not
/// depend on it. `Bundle::moved` counts the bytes that each flow of the bundle has moved since the
/// bundle was last empty: a flow of b bytes that starts at `moved` ends at moved + b. A new rate
/// changes one entry of the queue of ends, that of the bundle's next end.
class FluidFlows {
 public:
  FluidFlows(const std::vector<BytesPerSecond>& bandwidths, const std::vector<FlowRoute>& routes);

  /// `limit`: in addition to that of the route; zero: none.
  void start(int flow, Bytes bytes, BytesPerSecond limit, Seconds now);
  void stop(int flow);
  /// Distributes the bandwidths after starts and stops.
  void share(Seconds now);
  /// When the next flow ends; infinite if none is active. After share().
  [[nodiscard]] Seconds next_end() const;
  /// Stops and returns a flow that has ended by `now`; -1 if there is none.
  [[nodiscard]] int pop_ended(Seconds now);

  [[nodiscard]] bool is_active(int flow) const { return shares_.is_active(flow); }
  /// When an active flow ends, after share().
  [[nodiscard]] Seconds end(int flow) const;
  [[nodiscard]] std::size_t size() const { return end_bytes_.size(); }

 private:
  /// `flow` ends when Bundle::moved is `bytes`.
  struct End {
    double bytes;
    int flow;
    friend auto operator<=>(const End&, const End&) = default;
  };
  struct Bundle {
    double moved = 0;  // at `since`
    double rate = 0;
    Seconds since{0};
    std::vector<End> ends = {};  // a heap, the least first
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
  std::vector<double> end_bytes_;  // End::bytes by flow
  std::vector<Bundle> bundles_;
  std::vector<int> joined_;  // bundles with a new flow
  FlowEnds next_ends_;       // of each bundle
};

}  // namespace ringcast
