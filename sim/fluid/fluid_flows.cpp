#include "sim/fluid/fluid_flows.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace ringcast {

FluidFlows::FluidFlows(const std::vector<BytesPerSecond>& bandwidths,
                       const std::vector<FlowRoute>& routes)
    : shares_{bandwidths, routes}, end_bytes_(shares_.size()) {}

Seconds FluidFlows::Bundle::time_of(double bytes) const {
  return since + Seconds{std::max(0.0, bytes - moved) / rate};
}

void FluidFlows::Bundle::advance(Seconds now) {
  moved = ends.empty() ? 0 : moved + rate * (now - since).count();
  since = now;
}

void FluidFlows::start(int flow, Bytes bytes, BytesPerSecond limit, Seconds now) {
  const int index = shares_.add(flow, limit);
  if (static_cast<std::size_t>(index) >= bundles_.size()) {
    bundles_.resize(static_cast<std::size_t>(index) + 1);
  }
  Bundle& bundle = at(index);
  bundle.advance(now);
  const double at_bytes = bundle.moved + static_cast<double>(bytes.count());
  end_bytes_[static_cast<std::size_t>(flow)] = at_bytes;
  bundle.ends.push_back({at_bytes, flow});
  std::ranges::push_heap(bundle.ends, std::greater<>{});
  joined_.push_back(index);
}

void FluidFlows::stop(int flow) {
  if (!shares_.is_active(flow)) return;
  const int index = shares_.remove(flow);
  std::vector<End>& ends = at(index).ends;
  std::erase_if(ends, [&](const End& each) { return each.flow == flow; });
  std::ranges::make_heap(ends, std::greater<>{});
  set_end(index);
}

/// Updates the time at which the bundle's next flow ends, at the rate so far.
void FluidFlows::set_end(int index) {
  const Bundle& bundle = at(index);
  if (bundle.ends.empty()) {
    next_ends_.erase(index);
  } else {
    next_ends_.set(index, bundle.time_of(bundle.ends.front().bytes));
  }
}

void FluidFlows::take_rate(int index, Seconds now) {
  at(index).advance(now);
  at(index).rate = shares_.rate(index);
  set_end(index);
}

void FluidFlows::share(Seconds now) {
  for (const int bundle : shares_.share()) {
    take_rate(bundle, now);
  }
  for (const int bundle : joined_) {
    take_rate(bundle, now);
  }
  joined_.clear();
}

Seconds FluidFlows::end(int flow) const {
  return at(shares_.bundle_of(flow)).time_of(end_bytes_[static_cast<std::size_t>(flow)]);
}

Seconds FluidFlows::next_end() const {
  return next_ends_.empty() ? Seconds{std::numeric_limits<double>::infinity()}
                            : next_ends_.first_time();
}

int FluidFlows::pop_ended(Seconds now) {
  if (next_end() > now) {
    return -1;
  }
  const int index = next_ends_.first();
  std::vector<End>& ends = at(index).ends;
  const int flow = ends.front().flow;
  std::ranges::pop_heap(ends, std::greater<>{});
  ends.pop_back();
  shares_.remove(flow);
  set_end(index);
  return flow;
}

}  // namespace ringcast
