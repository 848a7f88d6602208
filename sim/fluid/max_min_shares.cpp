#include "sim/fluid/max_min_shares.hpp"

#include <algorithm>
#include <functional>
#include <limits>

// Progressive filling (Bertsekas and Gallager 1992, 6.5.2): the rates of all flows grow together;
// when a link is full, the flows over it stop growing, and the others share what is left. A heap
// yields the next link to be full. The rate at which a link is full can only rise when flows stop
// elsewhere, so an entry of the heap is updated when it reaches the top.
//
// Incremental update. A change affects few flows, even if links connect all flows. The working set
// begins with the flows on the links that have changed. They are filled into the bandwidth that the
// other flows leave. Those must still have a bottleneck: a flow joins the working set if its
// bottleneck link is no longer full or now has a faster flow, or if it is faster than a flow that
// stops on a link of both. Filling is repeated until no flow joins; then every flow has a
// bottleneck, and the rates are the max-min fair ones. Links that no flow of the set crosses carry
// what they did. After a few repetitions all connected flows join at once, and do so in the next
// calls, too.
namespace ringcast {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// Levels within one filling that differ by this part of them are equal.
constexpr double rounding_of_rates = 1e-13;
/// Rates of different fillings that differ by this part of them are equal.
constexpr double rounding_of_bottlenecks = 1e-12;
/// Shares are whole numbers: less than this is the rounding of none.
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
  ++calls_;
  working_set_.clear();
  for (const int changed : changed_links_) {
    for (const Use& use : link(changed).uses) {
      add_to_working_set(use.bundle);
    }
  }
  changed_links_.clear();
  if (wide_ > 0) {
    --wide_;
    add_all_connected();
  }
  for (int i = 0; !working_set_.empty(); ++i) {
    fill();
    if (!add_those_without_bottleneck()) break;
    if (i == most_rounds) {
      wide_ = most_wide;
      add_all_connected();
    }
  }
  keep_rates();
  return changed_;
}

void MaxMinShares::add_to_working_set(int bundle) {
  if (!in_working_set(bundle)) {
    at(bundle).share_of = calls_;
    working_set_.push_back(bundle);
  }
}

void MaxMinShares::add_all_connected() {
  ++visits_;
  // NOLINTNEXTLINE(modernize-loop-convert): add_to_working_set() appends
  for (std::size_t i = 0; i < working_set_.size(); ++i) {
    for (const Crossing& crossing : bundles_.crossings(working_set_[i])) {
      Link& each = link(crossing.link);
      if (each.seen == visits_) continue;
      each.seen = visits_;
      for (const Use& use : each.uses) {
        add_to_working_set(use.bundle);
      }
    }
  }
}

/// Prepares a link of the working set: the bandwidth that flows outside of the set leave.
void MaxMinShares::visit(int index) {
  Link& each = link(index);
  if (each.seen == visits_) return;
  each.seen = visits_;
  each.left = each.bandwidth;
  each.shares = 0;
  each.all_in_set = true;
  for (const Use& use : each.uses) {
    if (in_working_set(use.bundle)) {
      each.shares += weight(use);
    } else {
      each.all_in_set = false;
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
  for (const int bundle : working_set_) {
    at(bundle).fixed = false;
    limits_.push_back({bundles_.limit(bundle), bundle});
    for (const Crossing& crossing : bundles_.crossings(bundle)) {
      visit(crossing.link);
    }
  }
  std::ranges::make_heap(link_stops_, std::greater<>{});
  std::ranges::make_heap(limits_, std::greater<>{});
  for (std::size_t fixed = 0; fixed < working_set_.size(); fixed += stopping_.size()) {
    stop_flows_at(next_level());
  }
}

/// The rate at which the next link is full or the next bundle, which may be fixed already, is at
/// its limit.
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
  if (!in_working_set(bundle) || share.fixed) return;
  share.fixed = true;
  share.bottleneck = bottleneck;
  stopping_.push_back(bundle);
}

/// Finds all flows that stop at this level before subtracting any of them from its links.
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

bool MaxMinShares::add_those_without_bottleneck() {
  joining_.clear();
  for (const int index : visited_) {
    if (!link(index).all_in_set) find_those_without_bottleneck(index);
  }
  for (const int bundle : joining_) {
    add_to_working_set(bundle);
  }
  return !joining_.empty();
}

/// Finds the bundles over a link outside of the working set for which it is no bottleneck any more,
/// and those that are faster than one of the set that stops there.
void MaxMinShares::find_those_without_bottleneck(int index) {
  const Link& each = link(index);
  double load = 0;
  double fastest = 0;
  double stop = infinite;
  for (const Use& use : each.uses) {
    const Share& share = at(use.bundle);
    const double rate = in_working_set(use.bundle) ? share.new_rate : share.rate;
    load += weight(use) * rate;
    fastest = std::max(fastest, rate);
    if (in_working_set(use.bundle) && share.bottleneck == index) stop = std::min(stop, rate);
  }
  const bool full = load >= each.bandwidth * (1 - rounding_of_bottlenecks);
  const double least = full ? fastest * (1 - rounding_of_bottlenecks) : infinite;
  for (const Use& use : each.uses) {
    const Share& share = at(use.bundle);
    if (in_working_set(use.bundle)) continue;
    const bool has_lost = share.bottleneck == index && share.rate < least;
    if (has_lost || share.rate > stop * (1 + rounding_of_bottlenecks)) {
      joining_.push_back(use.bundle);
    }
  }
}

void MaxMinShares::keep_rates() {
  for (const int bundle : working_set_) {
    Share& share = at(bundle);
    if (share.new_rate != share.rate) {
      share.rate = share.new_rate;
      changed_.push_back(bundle);
    }
  }
}

}  // namespace ringcast
