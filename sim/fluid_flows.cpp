#include "sim/fluid_flows.hpp"

#include <algorithm>
#include <limits>

#include "engine/numbers/error.hpp"

// Max-min fairness by progressive filling (Bertsekas and Gallager 1992, "Data Networks", 6.5.2):
// the rates of all flows grow together; when a link is full, the flows over it stop growing, and
// the others go on with what is left. Only the flows that are connected with a change, by links
// that they share, are computed again.
//
// A link that can never be full is no link of this problem. One flow alone on a link has its
// bandwidth as a limit; and flows whose limits fit into a link together do not compete for it. So
// where no two streams meet on a link, no rate is ever computed twice.
namespace ringcast {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// The rate of a flow without links or limits: it takes no time.
constexpr double no_limit = 1e18;
/// Links that are full to this part of them are full.
constexpr double rounding_of_rates = 1e-13;

}  // namespace

FluidFlows::FluidFlows(std::vector<BytesPerSecond> bandwidths, std::vector<FlowRoute> routes) {
  links_.resize(bandwidths.size());
  for (std::size_t i = 0; i < bandwidths.size(); ++i) {
    links_[i].bandwidth = bandwidths[i].value();
  }
  flows_.resize(routes.size());
  for (std::size_t i = 0; i < routes.size(); ++i) {
    flows_[i].crossings = std::move(routes[i].crossings);
    const double limit = routes[i].limit.value();
    flows_[i].route_limit = limit > 0 ? limit : no_limit;
  }
  drop_uncontended_links();
}

void FluidFlows::drop_uncontended_links() {
  std::vector<double> demand(links_.size());
  for (Flow& flow : flows_) {
    for (const Crossing& crossing : flow.crossings) {
      const double bandwidth = links_[static_cast<std::size_t>(crossing.link)].bandwidth;
      flow.route_limit = std::min(flow.route_limit, bandwidth / crossing.times);
    }
  }
  for (const Flow& flow : flows_) {
    for (const Crossing& crossing : flow.crossings) {
      demand[static_cast<std::size_t>(crossing.link)] += crossing.times * flow.route_limit;
    }
  }
  for (Flow& flow : flows_) {
    std::erase_if(flow.crossings, [&](const Crossing& crossing) {
      const auto link = static_cast<std::size_t>(crossing.link);
      return demand[link] <= links_[link].bandwidth * (1 + rounding_of_rates);
    });
  }
}

void FluidFlows::start(int index, Bytes bytes, BytesPerSecond limit, Seconds now) {
  Flow& flow = at(index);
  expect(!flow.active, "flow {} starts twice", index);
  flow.active = true;
  flow.remaining = static_cast<double>(bytes.count());
  flow.rate = 0;
  flow.since = now;
  flow.limit =
      limit > BytesPerSecond{0} ? std::min(limit.value(), flow.route_limit) : flow.route_limit;
  for (const Crossing& crossing : flow.crossings) {
    links_[static_cast<std::size_t>(crossing.link)].flows.push_back(index);
    changed_links_.push_back(crossing.link);
  }
  if (flow.crossings.empty()) {
    changed_flows_.push_back(index);
  }
}

void FluidFlows::stop(int index) {
  if (at(index).active) {
    remove(index);
  }
}

void FluidFlows::remove(int index) {
  Flow& flow = at(index);
  flow.active = false;
  flow.stamp = 0;
  for (const Crossing& crossing : flow.crossings) {
    std::vector<int>& flows = links_[static_cast<std::size_t>(crossing.link)].flows;
    flows.erase(std::ranges::find(flows, index));
    changed_links_.push_back(crossing.link);
  }
}

void FluidFlows::set_rate(int index, double rate, Seconds now) {
  Flow& flow = at(index);
  if (rate == flow.rate) {
    return;
  }
  flow.remaining -= flow.rate * (now - flow.since).count();
  flow.remaining = std::max(flow.remaining, 0.0);
  flow.since = now;
  flow.rate = rate;
  flow.stamp = ++stamps_;
  flow.end = now + Seconds{flow.remaining / rate};
  ends_.push({flow.end, flow.stamp, index});
}

void FluidFlows::share(Seconds now) {
  for (const int flow : changed_flows_) {
    if (at(flow).active) {
      set_rate(flow, at(flow).limit, now);
    }
  }
  changed_flows_.clear();
  if (changed_links_.empty()) {
    return;
  }
  collect_component();
  fill();
  for (std::size_t i = 0; i < component_flows_.size(); ++i) {
    set_rate(component_flows_[i], new_rates_[i], now);
  }
}

void FluidFlows::collect_component() {
  ++round_;
  component_links_.clear();
  component_flows_.clear();
  const auto add_link = [this](int link) {
    std::uint64_t& seen = links_[static_cast<std::size_t>(link)].seen;
    if (seen != round_) {
      seen = round_;
      component_links_.push_back(link);
    }
  };
  for (const int link : changed_links_) {
    add_link(link);
  }
  changed_links_.clear();
  // NOLINTNEXTLINE(modernize-loop-convert): add_link() appends
  for (std::size_t i = 0; i < component_links_.size(); ++i) {
    for (const int index : links_[static_cast<std::size_t>(component_links_[i])].flows) {
      Flow& flow = at(index);
      if (flow.seen != round_) {
        flow.seen = round_;
        component_flows_.push_back(index);
        for (const Crossing& crossing : flow.crossings) {
          add_link(crossing.link);
        }
      }
    }
  }
}

/// The rate at which the next link is full, or the next flow at its limit.
double FluidFlows::next_level(const std::vector<std::size_t>& growing) const {
  double level = infinite;
  for (const int link : component_links_) {
    const Link& each = links_[static_cast<std::size_t>(link)];
    // What rounding leaves of a link whose flows are all fixed is no share.
    level = each.shares > 0.5 ? std::min(level, each.left / each.shares) : level;
  }
  for (const std::size_t i : growing) {
    level = std::min(level, at(component_flows_[i]).limit);
  }
  return level;
}

/// Takes the part of a flow that stops growing from its links.
void FluidFlows::take(const Flow& flow, double rate) {
  for (const Crossing& crossing : flow.crossings) {
    Link& link = links_[static_cast<std::size_t>(crossing.link)];
    link.left = std::max(0.0, link.left - crossing.times * rate);
    link.shares -= crossing.times;
  }
}

void FluidFlows::fill() {
  for (const int link : component_links_) {
    Link& each = links_[static_cast<std::size_t>(link)];
    each.left = each.bandwidth;
    each.shares = 0;
  }
  new_rates_.assign(component_flows_.size(), 0);
  std::vector<std::size_t> growing(component_flows_.size());
  for (std::size_t i = 0; i < growing.size(); ++i) {
    growing[i] = i;
    for (const Crossing& crossing : at(component_flows_[i]).crossings) {
      links_[static_cast<std::size_t>(crossing.link)].shares += crossing.times;
    }
  }
  while (!growing.empty()) {
    const double level = next_level(growing);
    const double full = level * (1 + rounding_of_rates);
    const auto is_full = [&](const Crossing& crossing) {
      const Link& link = links_[static_cast<std::size_t>(crossing.link)];
      return link.left <= full * link.shares;
    };
    // Which flows stop growing is decided before any of them takes its part.
    for (const std::size_t i : growing) {
      Flow& flow = at(component_flows_[i]);
      flow.fixed = flow.limit <= full || std::ranges::any_of(flow.crossings, is_full);
    }
    std::erase_if(growing, [&](std::size_t i) {
      const Flow& flow = at(component_flows_[i]);
      if (flow.fixed) {
        new_rates_[i] = level;
        take(flow, level);
      }
      return flow.fixed;
    });
  }
}

Seconds FluidFlows::next_end() {
  while (!ends_.empty() && at(ends_.top().flow).stamp != ends_.top().stamp) {
    ends_.pop();
  }
  return ends_.empty() ? Seconds{infinite} : ends_.top().time;
}

int FluidFlows::pop_ended(Seconds now) {
  if (next_end() > now) {
    return -1;
  }
  const int flow = ends_.top().flow;
  ends_.pop();
  remove(flow);
  return flow;
}

}  // namespace ringcast
