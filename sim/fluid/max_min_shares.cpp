#include "sim/fluid/max_min_shares.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "engine/numbers/error.hpp"

// Progressive filling: the rates of all flows grow together; when a link is full, the flows over it
// stop growing, and the others go on with what is left. The next link to be full is the first of a
// heap. A link's level only rises while flows stop elsewhere, so an entry is brought up to date
// when it comes first.
//
// A change concerns few flows, even where links connect all of them. So the flows on the links that
// have changed are filled first, into what the others leave. Then every flow on their links must
// have a bottleneck: those that have lost theirs, and those that are faster than one that stops on
// the same link, are filled with them, until none is left. What a link of none of them carries has
// not changed. After a few rounds all flows that are connected are filled at once, and those of the
// next changes too.
namespace ringcast {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// The rate of a flow without links or limits: it takes no time.
constexpr double no_limit = 1e18;
/// Links that are full to this part of them are full.
constexpr double rounding_of_rates = 1e-13;
/// Rates that differ by this part of them were computed together with others.
constexpr double rounding_of_bottlenecks = 1e-12;
/// What rounding leaves of a link whose flows are all fixed is no share.
constexpr double least_share = 0.5;

}  // namespace

MaxMinShares::MaxMinShares(const std::vector<BytesPerSecond>& bandwidths,
                           std::vector<FlowRoute> routes) {
  links_.resize(bandwidths.size());
  for (std::size_t i = 0; i < bandwidths.size(); ++i) {
    links_[i].bandwidth = bandwidths[i].value();
  }
  flows_.resize(routes.size());
  routes = over_contended_links(bandwidths, std::move(routes));
  for (std::size_t i = 0; i < routes.size(); ++i) {
    flows_[i].crossings = std::move(routes[i].crossings);
    const double limit = routes[i].limit.value();
    flows_[i].route_limit = limit > 0 ? limit : no_limit;
  }
}

void MaxMinShares::add(int index, BytesPerSecond limit) {
  Flow& flow = at(index);
  expect(!flow.active, "flow {} starts twice", index);
  flow.active = true;
  flow.rate = 0;
  flow.limit =
      limit > BytesPerSecond{0} ? std::min(limit.value(), flow.route_limit) : flow.route_limit;
  for (const Crossing& crossing : flow.crossings) {
    link(crossing.link).flows.push_back({index, crossing.times});
    changed_links_.push_back(crossing.link);
  }
  if (flow.crossings.empty()) {
    changed_flows_.push_back(index);
  }
}

void MaxMinShares::remove(int index) {
  Flow& flow = at(index);
  flow.active = false;
  for (const Crossing& crossing : flow.crossings) {
    std::vector<Use>& flows = link(crossing.link).flows;
    flows.erase(std::ranges::find(flows, index, &Use::flow));
    changed_links_.push_back(crossing.link);
  }
}

const std::vector<int>& MaxMinShares::share() {
  constexpr int most_rounds = 4;
  constexpr int most_wide = 30;
  changed_.clear();
  for (const int flow : changed_flows_) {
    if (at(flow).active) {
      at(flow).rate = at(flow).limit;
      changed_.push_back(flow);
    }
  }
  changed_flows_.clear();
  ++round_;
  moving_.clear();
  for (const int changed : changed_links_) {
    for (const Use& use : link(changed).flows) {
      move(use.flow);
    }
  }
  changed_links_.clear();
  if (wide_ > 0) {
    --wide_;
    move_all_connected();
  }
  for (int i = 0; !moving_.empty(); ++i) {
    fill();
    if (!move_those_without_bottleneck()) break;
    if (i == most_rounds) {
      wide_ = most_wide;
      move_all_connected();
    }
  }
  keep_rates();
  return changed_;
}

void MaxMinShares::move(int index) {
  Flow& flow = at(index);
  if (!moves(flow)) {
    flow.moved = round_;
    moving_.push_back(index);
  }
}

void MaxMinShares::move_all_connected() {
  ++visits_;
  // NOLINTNEXTLINE(modernize-loop-convert): move() appends
  for (std::size_t i = 0; i < moving_.size(); ++i) {
    for (const Crossing& crossing : at(moving_[i]).crossings) {
      Link& each = link(crossing.link);
      if (each.seen == visits_) continue;
      each.seen = visits_;
      for (const Use& use : each.flows) {
        move(use.flow);
      }
    }
  }
}

/// Notes a link of a moving flow, with what the flows that stay leave of it.
void MaxMinShares::visit(int index) {
  Link& each = link(index);
  if (each.seen == visits_) return;
  each.seen = visits_;
  each.left = each.bandwidth;
  each.shares = 0;
  each.all_move = true;
  for (const Use& use : each.flows) {
    const Flow& flow = at(use.flow);
    if (moves(flow)) {
      each.shares += use.times;
    } else {
      each.all_move = false;
      each.left -= use.times * flow.rate;
    }
  }
  visited_.push_back(index);
  link_stops_.push_back({each.left / each.shares, index});
}

void MaxMinShares::fill() {
  ++visits_;
  visited_.clear();
  link_stops_.clear();
  limits_.clear();
  for (const int index : moving_) {
    Flow& flow = at(index);
    flow.fixed = false;
    limits_.push_back({flow.limit, index});
    for (const Crossing& crossing : flow.crossings) {
      visit(crossing.link);
    }
  }
  std::ranges::make_heap(link_stops_, std::greater<>{});
  std::ranges::make_heap(limits_, std::greater<>{});
  for (std::size_t fixed = 0; fixed < moving_.size(); fixed += stopping_.size()) {
    stop_flows_at(next_level());
  }
}

/// The rate at which the next link is full, or the next flow, which may be fixed, at its limit.
double MaxMinShares::next_level() {
  double level = infinite;
  while (!link_stops_.empty()) {
    Stop& first = link_stops_.front();
    const Link& each = link(first.index);
    const bool shared = each.shares > least_share;
    if (shared && each.left / each.shares <= first.level) {
      level = each.left / each.shares;
      break;
    }
    std::ranges::pop_heap(link_stops_, std::greater<>{});
    if (shared) {
      link_stops_.back().level = each.left / each.shares;
      std::ranges::push_heap(link_stops_, std::greater<>{});
    } else {
      link_stops_.pop_back();
    }
  }
  return limits_.empty() ? level : std::min(level, limits_.front().level);
}

void MaxMinShares::stop_flow(int index, int bottleneck) {
  Flow& flow = at(index);
  if (!moves(flow) || flow.fixed) return;
  flow.fixed = true;
  flow.bottleneck = bottleneck;
  stopping_.push_back(index);
}

/// Which flows stop growing is decided before any of them takes its part from its links.
void MaxMinShares::stop_flows_at(double level) {
  const double full = level * (1 + rounding_of_rates);
  stopping_.clear();
  while (!link_stops_.empty() && link_stops_.front().level <= full) {
    std::ranges::pop_heap(link_stops_, std::greater<>{});
    Stop& stop = link_stops_.back();
    const Link& each = link(stop.index);
    stop.level = each.shares > least_share ? each.left / each.shares : infinite;
    if (stop.level > full) {
      std::ranges::push_heap(link_stops_, std::greater<>{});
      continue;
    }
    for (const Use& use : each.flows) {
      stop_flow(use.flow, stop.index);
    }
    link_stops_.pop_back();
  }
  while (!limits_.empty() && limits_.front().level <= full) {
    stop_flow(limits_.front().index, no_link);
    std::ranges::pop_heap(limits_, std::greater<>{});
    limits_.pop_back();
  }
  for (const int index : stopping_) {
    Flow& flow = at(index);
    flow.new_rate = level;
    for (const Crossing& crossing : flow.crossings) {
      Link& each = link(crossing.link);
      each.left = std::max(0.0, each.left - crossing.times * level);
      each.shares -= crossing.times;
    }
  }
}

bool MaxMinShares::move_those_without_bottleneck() {
  joining_.clear();
  for (const int index : visited_) {
    if (!link(index).all_move) find_those_without_bottleneck(index);
  }
  for (const int flow : joining_) {
    move(flow);
  }
  return !joining_.empty();
}

/// Among the flows over a link that stay: those that had it as their bottleneck and have it no
/// longer, and those that are faster than a moving one that stops there.
void MaxMinShares::find_those_without_bottleneck(int index) {
  const Link& each = link(index);
  double load = 0;
  double fastest = 0;
  double stop = infinite;
  for (const Use& use : each.flows) {
    const Flow& flow = at(use.flow);
    const double rate = moves(flow) ? flow.new_rate : flow.rate;
    load += use.times * rate;
    fastest = std::max(fastest, rate);
    if (moves(flow) && flow.bottleneck == index) stop = std::min(stop, rate);
  }
  const bool full = load >= each.bandwidth * (1 - rounding_of_bottlenecks);
  const double least = full ? fastest * (1 - rounding_of_bottlenecks) : infinite;
  for (const Use& use : each.flows) {
    const Flow& flow = at(use.flow);
    if (moves(flow)) continue;
    const bool has_lost = flow.bottleneck == index && flow.rate < least;
    if (has_lost || flow.rate > stop * (1 + rounding_of_bottlenecks)) {
      joining_.push_back(use.flow);
    }
  }
}

void MaxMinShares::keep_rates() {
  for (const int index : moving_) {
    Flow& flow = at(index);
    if (flow.new_rate != flow.rate) {
      flow.rate = flow.new_rate;
      changed_.push_back(index);
    }
  }
}

}  // namespace ringcast
