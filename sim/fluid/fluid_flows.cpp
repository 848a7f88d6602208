#include "sim/fluid/fluid_flows.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace ringcast {

FluidFlows::FluidFlows(const std::vector<BytesPerSecond>& bandwidths,
                       const std::vector<FlowRoute>& routes)
    : shares_{bandwidths, routes}, last_bytes_(shares_.size()) {}

Seconds FluidFlows::Bundle::time_of(double bytes) const {
  return since + Seconds{std::max(0.0, bytes - moved) / rate};
}

void FluidFlows::Bundle::advance(Seconds now) {
  moved = lasts.empty() ? 0 : moved + rate * (now - since).count();
  since = now;
}

void FluidFlows::start(int flow, Bytes bytes, BytesPerSecond limit, Seconds now) {
  const int index = shares_.add(flow, limit);
  if (static_cast<std::size_t>(index) >= bundles_.size()) {
    bundles_.resize(static_cast<std::size_t>(index) + 1);
  }
  Bundle& bundle = at(index);
  bundle.advance(now);
  const double last = bundle.moved + static_cast<double>(bytes.count());
  last_bytes_[static_cast<std::size_t>(flow)] = last;
  bundle.lasts.push_back({last, flow});
  std::ranges::push_heap(bundle.lasts, std::greater<>{});
  joined_.push_back(index);
}

void FluidFlows::stop(int flow) {
  if (!shares_.is_active(flow)) return;
  const int index = shares_.remove(flow);
  std::vector<Last>& lasts = at(index).lasts;
  std::erase_if(lasts, [&](const Last& last) { return last.flow == flow; });
  std::ranges::make_heap(lasts, std::greater<>{});
  set_end(index);
}

/// Its next flow ends at the rate so far.
void FluidFlows::set_end(int index) {
  const Bundle& bundle = at(index);
  if (bundle.lasts.empty()) {
    ends_.erase(index);
  } else {
    ends_.set(index, bundle.time_of(bundle.lasts.front().bytes));
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
  return at(shares_.bundle_of(flow)).time_of(last_bytes_[static_cast<std::size_t>(flow)]);
}

Seconds FluidFlows::next_end() const {
  return ends_.empty() ? Seconds{std::numeric_limits<double>::infinity()} : ends_.first_time();
}

int FluidFlows::pop_ended(Seconds now) {
  if (next_end() > now) {
    return -1;
  }
  const int index = ends_.first();
  std::vector<Last>& lasts = at(index).lasts;
  const int flow = lasts.front().flow;
  std::ranges::pop_heap(lasts, std::greater<>{});
  lasts.pop_back();
  shares_.remove(flow);
  set_end(index);
  return flow;
}

}  // namespace ringcast
