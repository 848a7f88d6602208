#pragma once

#include <cstdint>
#include <vector>

#include "sim/fluid/contended_links.hpp"

namespace ringcast {

/// The max-min fair rates of flows that share links: each flow has a bottleneck, which is its limit
/// or a full link on which no other flow is faster. There is one such distribution only (Bertsekas
/// and Gallager 1992, "Data Networks", 6.5.2).
class MaxMinShares {
 public:
  MaxMinShares(const std::vector<BytesPerSecond>& bandwidths, std::vector<FlowRoute> routes);

  /// A flow that is not active begins. `limit`: beside that of the route; zero: none.
  void add(int flow, BytesPerSecond limit);
  /// An active one ends.
  void remove(int flow);
  /// Distributes the bandwidths after additions and removals. Returns the flows whose rates differ
  /// from those before; valid until the next call.
  const std::vector<int>& share();

  [[nodiscard]] std::size_t size() const { return flows_.size(); }
  [[nodiscard]] bool is_active(int flow) const { return at(flow).active; }
  /// In bytes/s, after share().
  [[nodiscard]] double rate(int flow) const { return at(flow).rate; }

 private:
  static constexpr int no_link = -1;

  struct Flow {
    std::vector<Crossing> crossings;
    double route_limit = 0;  // bytes/s
    double limit = 0;
    double rate = 0;
    double new_rate = 0;       // while sharing
    int bottleneck = no_link;  // no link: the limit
    std::uint64_t moved = 0;   // the last share() that computed its rate
    bool active = false;
    bool fixed = false;
  };
  struct Use {
    int flow;
    int times;
  };
  struct Link {
    double bandwidth = 0;
    std::vector<Use> flows;  // active ones
    std::uint64_t seen = 0;
    double left = 0;    // while sharing
    double shares = 0;  // likewise: of flows whose rate is not fixed yet
    bool all_move = true;
  };
  /// A link or a flow's limit, by the rate at which it stops flows.
  struct Stop {
    double level;
    int index;
    friend bool operator>(const Stop& a, const Stop& b) { return a.level > b.level; }
  };

  [[nodiscard]] const Flow& at(int flow) const { return flows_[static_cast<std::size_t>(flow)]; }
  [[nodiscard]] Flow& at(int flow) { return flows_[static_cast<std::size_t>(flow)]; }
  [[nodiscard]] Link& link(int index) { return links_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] bool moves(const Flow& flow) const { return flow.moved == round_; }
  void move(int flow);
  void move_all_connected();
  void visit(int link);
  void fill();
  [[nodiscard]] double next_level();
  void stop_flows_at(double level);
  void stop_flow(int flow, int bottleneck);
  [[nodiscard]] bool move_those_without_bottleneck();
  void find_those_without_bottleneck(int link);
  void keep_rates();

  std::vector<Flow> flows_;
  std::vector<Link> links_;
  std::vector<int> changed_links_;
  std::vector<int> changed_flows_;  // added, without a link to share
  std::uint64_t round_ = 0;
  std::uint64_t visits_ = 0;
  std::vector<int> moving_;   // flows whose rates are computed
  std::vector<int> visited_;  // their links
  std::vector<int> joining_;
  std::vector<int> stopping_;
  std::vector<Stop> link_stops_;  // heaps, the least first
  std::vector<Stop> limits_;
  std::vector<int> changed_;
  int wide_ = 0;  // changes that are taken to concern all connected flows
};

}  // namespace ringcast
