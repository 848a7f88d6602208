#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// A flow crosses a link so many times: it takes that many shares of its bandwidth. In a folded job
/// it is the number of flows of one class over each link of a class.
struct Crossing {
  int link;
  double times;

  friend bool operator==(const Crossing&, const Crossing&) = default;
};

/// The links of one flow, each once, and the flow's own limit (zero: none).
struct FlowRoute {
  std::vector<Crossing> crossings;
  BytesPerSecond limit{0};
};

/// Flows that share links max-min fairly, as a fluid: a flow's rate grows with all others' until
/// one of its links is full or its limit is reached. Flows are numbered; each may be active once at
/// a time.
class FluidFlows {
 public:
  FluidFlows(std::vector<BytesPerSecond> bandwidths, std::vector<FlowRoute> routes);

  /// `limit`: beside that of the route; zero: none.
  void start(int flow, Bytes bytes, BytesPerSecond limit, Seconds now);
  void stop(int flow);
  /// Distributes the bandwidths after starts and stops.
  void share(Seconds now);
  /// When the next flow ends; infinite if none is active. After share().
  [[nodiscard]] Seconds next_end();
  /// Stops and returns a flow that ends by `now`, or -1.
  [[nodiscard]] int pop_ended(Seconds now);

  [[nodiscard]] bool is_active(int flow) const { return at(flow).active; }
  [[nodiscard]] double rate(int flow) const { return at(flow).rate; }
  [[nodiscard]] Seconds end(int flow) const { return at(flow).end; }
  [[nodiscard]] std::size_t size() const { return flows_.size(); }

 private:
  struct Flow {
    std::vector<Crossing> crossings;
    double route_limit = 0;  // bytes/s
    double limit = 0;
    double remaining = 0;  // bytes, at `since`
    double rate = 0;
    Seconds since{0};
    Seconds end{0};
    std::uint64_t stamp = 0;  // of its entry among the ends
    std::uint64_t seen = 0;
    bool active = false;
    bool fixed = false;
  };
  struct Link {
    double bandwidth = 0;
    std::vector<int> flows;  // active ones
    std::uint64_t seen = 0;
    double left = 0;    // while sharing
    double shares = 0;  // likewise: of flows whose rate is not fixed yet
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
  void drop_uncontended_links();
  void remove(int flow);
  void collect_component();
  void fill();
  [[nodiscard]] double next_level(const std::vector<std::size_t>& growing) const;
  void take(const Flow& flow, double rate);
  void set_rate(int flow, double rate, Seconds now);

  std::vector<Flow> flows_;
  std::vector<Link> links_;
  std::vector<int> changed_links_;
  std::vector<int> changed_flows_;  // started, without a link to share
  std::uint64_t round_ = 0;
  std::uint64_t stamps_ = 0;
  std::vector<int> component_links_;
  std::vector<int> component_flows_;
  std::vector<double> new_rates_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace ringcast
