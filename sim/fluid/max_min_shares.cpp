#include "sim/fluid/max_min_shares.hpp"

#include <algorithm>
#include <functional>
#include <limits>

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
/// Links that are full to this part of them are full.
constexpr double rounding_of_rates = 1e-13;
/// Rates that differ by this part of them were computed together with others.
constexpr double rounding_of_bottlenecks = 1e-12;
/// What rounding leaves of a link whose flows are all fixed is no share.
constexpr double least_share = 0.5;

}  // namespace

MaxMinShares::MaxMinShares(const std::vector<BytesPerSecond>& bandwidths,
                           const std::vector<FlowRoute>& routes)
    : bundles_{over_contended_links(bandwidths, FlowRoutes{routes})}, links_(bandwidths.size()) {
  for (std::size_t i = 0; i < bandwidths.size(); ++i) {
    links_[i].bandwidth = bandwidths[i].value();
  }
}

int MaxMinShares::add(int flow, BytesPerSecond limit) {
  const int bundle = bundles_.join(flow, limit);
  shares_.resize(bundles_.count());
  const std::vector<Crossing>& crossings = bundles_.crossings(bundle);
  if (crossings.empty()) at(bundle).rate = bundles_.limit(bundle);
  for (const Crossing& crossing : crossings) {
    if (bundles_.flows(bundle) == 1) {
      link(crossing.link).uses.push_back({bundle, crossing.times});
    }
    changed_links_.push_back(crossing.link);
  }
  return bundle;
}

int MaxMinShares::remove(int flow) {
  const int bundle = bundles_.leave(flow);
  for (const Crossing& crossing : bundles_.crossings(bundle)) {
    if (bundles_.flows(bundle) == 0) {
      std::vector<Use>& uses = link(crossing.link).uses;
      uses.erase(std::ranges::find(uses, bundle, &Use::bundle));
    }
    changed_links_.push_back(crossing.link);
  }
  return bundle;
}

const std::vector<int>& MaxMinShares::share() {
  constexpr int most_rounds = 4;
  constexpr int most_wide = 30;
  changed_.clear();
  ++round_;
  moving_.clear();
  for (const int changed : changed_links_) {
    for (const Use& use : link(changed).uses) {
      move(use.bundle);
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

void MaxMinShares::move(int bundle) {
  if (!moves(bundle)) {
    at(bundle).moved = round_;
    moving_.push_back(bundle);
  }
}

void MaxMinShares::move_all_connected() {
  ++visits_;
  // NOLINTNEXTLINE(modernize-loop-convert): move() appends
  for (std::size_t i = 0; i < moving_.size(); ++i) {
    for (const Crossing& crossing : bundles_.crossings(moving_[i])) {
      Link& each = link(crossing.link);
      if (each.seen == visits_) continue;
      each.seen = visits_;
      for (const Use& use : each.uses) {
        move(use.bundle);
      }
    }
  }
}

/// Notes a link of a moving bundle, with what the flows that stay leave of it.
void MaxMinShares::visit(int index) {
  Link& each = link(index);
  if (each.seen == visits_) return;
  each.seen = visits_;
  each.left = each.bandwidth;
  each.shares = 0;
  each.all_move = true;
  for (const Use& use : each.uses) {
    if (moves(use.bundle)) {
      each.shares += weight(use);
    } else {
      each.all_move = false;
      each.left -= weight(use) * at(use.bundle).rate;
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
  for (const int bundle : moving_) {
    at(bundle).fixed = false;
    limits_.push_back({bundles_.limit(bundle), bundle});
    for (const Crossing& crossing : bundles_.crossings(bundle)) {
      visit(crossing.link);
    }
  }
  std::ranges::make_heap(link_stops_, std::greater<>{});
  std::ranges::make_heap(limits_, std::greater<>{});
  for (std::size_t fixed = 0; fixed < moving_.size(); fixed += stopping_.size()) {
    stop_flows_at(next_level());
  }
}

/// The rate at which the next link is full, or the next bundle, which may be fixed, at its limit.
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

void MaxMinShares::stop_flows(int bundle, int bottleneck) {
  Share& share = at(bundle);
  if (!moves(bundle) || share.fixed) return;
  share.fixed = true;
  share.bottleneck = bottleneck;
  stopping_.push_back(bundle);
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
    for (const Use& use : each.uses) {
      stop_flows(use.bundle, stop.index);
    }
    link_stops_.pop_back();
  }
  while (!limits_.empty() && limits_.front().level <= full) {
    stop_flows(limits_.front().index, no_link);
    std::ranges::pop_heap(limits_, std::greater<>{});
    limits_.pop_back();
  }
  for (const int bundle : stopping_) {
    at(bundle).new_rate = level;
    for (const Crossing& crossing : bundles_.crossings(bundle)) {
      Link& each = link(crossing.link);
      const double shares = weight({bundle, crossing.times});
      each.left = std::max(0.0, each.left - shares * level);
      each.shares -= shares;
    }
  }
}

bool MaxMinShares::move_those_without_bottleneck() {
  joining_.clear();
  for (const int index : visited_) {
    if (!link(index).all_move) find_those_without_bottleneck(index);
  }
  for (const int bundle : joining_) {
    move(bundle);
  }
  return !joining_.empty();
}

/// Among the bundles over a link that stay: those that had it as their bottleneck and have it no
/// longer, and those that are faster than a moving one that stops there.
void MaxMinShares::find_those_without_bottleneck(int index) {
  const Link& each = link(index);
  double load = 0;
  double fastest = 0;
  double stop = infinite;
  for (const Use& use : each.uses) {
    const Share& share = at(use.bundle);
    const double rate = moves(use.bundle) ? share.new_rate : share.rate;
    load += weight(use) * rate;
    fastest = std::max(fastest, rate);
    if (moves(use.bundle) && share.bottleneck == index) stop = std::min(stop, rate);
  }
  const bool full = load >= each.bandwidth * (1 - rounding_of_bottlenecks);
  const double least = full ? fastest * (1 - rounding_of_bottlenecks) : infinite;
  for (const Use& use : each.uses) {
    const Share& share = at(use.bundle);
    if (moves(use.bundle)) continue;
    const bool has_lost = share.bottleneck == index && share.rate < least;
    if (has_lost || share.rate > stop * (1 + rounding_of_bottlenecks)) {
      joining_.push_back(use.bundle);
    }
  }
}

void MaxMinShares::keep_rates() {
  for (const int bundle : moving_) {
    Share& share = at(bundle);
    if (share.new_rate != share.rate) {
      share.rate = share.new_rate;
      changed_.push_back(bundle);
    }
  }
}

}  // namespace ringcast
